-- Values that people start requests from, kept for everyone who can create requests in a workspace. They contain no secrets.
CREATE TABLE preset (
    id         TEXT    NOT NULL PRIMARY KEY,
    cluster    TEXT    NOT NULL, -- the workspace
    home       TEXT    NOT NULL, -- home workspace of the promise
    promise    TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    parameters TEXT    NOT NULL, -- JSON
    person     TEXT    NOT NULL, -- who saved it
    created    INTEGER NOT NULL, -- seconds since 1970
    UNIQUE (cluster, home, promise, title)
) STRICT, WITHOUT ROWID;
