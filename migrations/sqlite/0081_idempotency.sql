-- Answers to calls of programs that carry an idempotency key, so that a repeated call gets the same answer and does nothing again.
-- The digest of the call and the answer are sealed: a call can contain secrets.
CREATE TABLE idempotency (
    person  TEXT    NOT NULL,
    key     TEXT    NOT NULL, -- chosen by the program
    call    BLOB    NOT NULL, -- sealed digest
    answer  BLOB,             -- sealed; NULL while the call is in progress
    started INTEGER NOT NULL, -- seconds since 1970
    expires INTEGER NOT NULL,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_expires ON idempotency (expires);
