-- Hints that a person doesn't want to see again.
CREATE TABLE dismissal (
    person TEXT    NOT NULL,
    hint   TEXT    NOT NULL,
    at     INTEGER NOT NULL, -- seconds since 1970
    PRIMARY KEY (person, hint)
) STRICT, WITHOUT ROWID;
