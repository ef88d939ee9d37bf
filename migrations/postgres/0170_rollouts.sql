-- Upgrades of many requests in waves. They act with the session of the person who started or resumed them; `session` is its key, which is no
-- secret, and there need not be such a session any more.
CREATE TABLE rollout (
    id        TEXT    NOT NULL PRIMARY KEY,
    home      TEXT    NOT NULL, -- home workspace of the promise
    promise   TEXT    NOT NULL,
    version   TEXT    NOT NULL,
    person    TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    wave_size BIGINT  NOT NULL,
    minutes   BIGINT  NOT NULL, -- how long each request has to be ready
    skips     BIGINT  NOT NULL, -- whether requests that aren't ready for the version are skipped
    state     TEXT    NOT NULL,
    created   BIGINT  NOT NULL, -- seconds since 1970
    updated   BIGINT  NOT NULL, -- seconds since 1970
    edition   BIGINT  NOT NULL, -- how often anything of it changed
    holder    TEXT    NOT NULL, -- the process that advances it
    leased    BIGINT  NOT NULL  -- until when, seconds since 1970
);
CREATE INDEX rollout_by_state ON rollout (state);
CREATE INDEX rollout_by_person ON rollout (person, home, promise, created);

CREATE TABLE rollout_member (
    rollout      TEXT    NOT NULL REFERENCES rollout (id) ON DELETE CASCADE,
    position     BIGINT  NOT NULL,
    cluster      TEXT    NOT NULL, -- workspace of the request
    namespace    TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    uid          TEXT    NOT NULL,
    from_version TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    wave         BIGINT  NOT NULL, -- 0 before its turn
    since        BIGINT  NOT NULL, -- when its upgrade began, seconds since 1970; 0 before
    reason       TEXT    NOT NULL, -- JSON; empty unless it failed or was skipped
    PRIMARY KEY (rollout, position)
);
