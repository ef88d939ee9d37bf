-- Hints that a person doesn't want to see again.
CREATE TABLE dismissal (
    person TEXT   NOT NULL,
    hint   TEXT   NOT NULL,
    at     BIGINT NOT NULL, -- seconds since 1970
    PRIMARY KEY (person, hint)
);
