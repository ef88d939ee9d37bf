-- Filters of lists that a person has named.
CREATE TABLE saved_view (
    id      TEXT    NOT NULL PRIMARY KEY,
    person  TEXT    NOT NULL,
    list    TEXT    NOT NULL, -- which list, and of which workspace
    title   TEXT    NOT NULL,
    filter  TEXT    NOT NULL, -- JSON: names and values as in the address
    created INTEGER NOT NULL, -- seconds since 1970
    UNIQUE (person, list, title)
) STRICT, WITHOUT ROWID;
