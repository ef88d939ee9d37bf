-- Who stands in for somebody who is away.
CREATE TABLE stand_in (
    person    TEXT    NOT NULL PRIMARY KEY,
    deputy    TEXT    NOT NULL,
    away_from BIGINT  NOT NULL, -- seconds since 1970
    away_to   BIGINT  NOT NULL, -- the second after the last one
    lacks     TEXT    NOT NULL, -- what the deputy may not decide about, found when they looked last; JSON
    looked    BIGINT  NOT NULL  -- when that was, seconds since 1970; 0 before
);

CREATE INDEX stand_in_deputy ON stand_in (deputy, away_to);
CREATE INDEX stand_in_away ON stand_in (away_to);
