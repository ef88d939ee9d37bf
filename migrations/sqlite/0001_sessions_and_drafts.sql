-- A signed-in browser. `id` is the SHA-256 of the cookie, so that a stolen database holds no usable cookie;
-- `token` is the person's bearer token, sealed with a key that is kept outside the database.
CREATE TABLE session (
    id      BLOB    NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL,
    token   BLOB    NOT NULL,
    created INTEGER NOT NULL, -- seconds since 1970
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_expires ON session (expires);

-- What a person typed into a form that was not accepted yet. Private to that person; never holds secret values.
CREATE TABLE draft (
    id      TEXT    NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL,
    subject TEXT    NOT NULL, -- which form, such as the path of its page
    content TEXT    NOT NULL, -- JSON
    created INTEGER NOT NULL, -- seconds since 1970
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX draft_person ON draft (person, created);
CREATE INDEX draft_expires ON draft (expires);
