-- Promises that a person keeps at hand.
CREATE TABLE favourite_promise (
    person TEXT    NOT NULL,
    home   TEXT    NOT NULL, -- path of the promise's home workspace
    name   TEXT    NOT NULL,
    at     INTEGER NOT NULL, -- seconds since 1970
    PRIMARY KEY (person, home, name)
) STRICT, WITHOUT ROWID;
