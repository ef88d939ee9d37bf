-- A signed-in browser. `id` is the SHA-256 of the cookie, so that a stolen database holds no usable cookie;
-- `token` is the person's bearer token, sealed with a key that is kept outside the database.
CREATE TABLE session (
    id      BYTEA   NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL,
    token   BYTEA   NOT NULL,
    created BIGINT NOT NULL, -- seconds since 1970
    expires BIGINT NOT NULL
);

CREATE INDEX session_expires ON session (expires);

-- What a person typed into a form that was not accepted yet. Private to that person; never holds secret values.
CREATE TABLE draft (
    id      TEXT    NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL,
    subject TEXT    NOT NULL, -- which form, such as the path of its page
    content TEXT    NOT NULL, -- JSON
    created BIGINT NOT NULL, -- seconds since 1970
    expires BIGINT NOT NULL
);

CREATE INDEX draft_person ON draft (person, created);
CREATE INDEX draft_expires ON draft (expires);
