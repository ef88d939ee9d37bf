-- How far the cost ledger has come, in seconds since 1970: one row.
CREATE TABLE ledger_clock (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    seen   INTEGER NOT NULL, -- everything that is ready was last looked at then
    posted INTEGER NOT NULL  -- hours before it are complete and in ledger_hour
) STRICT, WITHOUT ROWID;

-- Stretches of time in which an instance was ready at one price, or in which nobody saw it. Times without a row are times in which it was not
-- ready. A row without an end goes on until ledger_clock.seen.
CREATE TABLE observation (
    uid       TEXT NOT NULL,
    since     INTEGER NOT NULL,
    until     INTEGER,
    ready     INTEGER NOT NULL, -- 1; 0 where nobody saw it
    monthly   INTEGER,          -- millionths of the currency; absent where the price is not known
    currency  TEXT NOT NULL,  -- ISO 4217; empty where the price is not known
    basis     TEXT NOT NULL,  -- from where the price is
    cluster   TEXT NOT NULL,
    workspace TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    home      TEXT NOT NULL,
    promise   TEXT NOT NULL,
    version   TEXT NOT NULL,
    project   TEXT NOT NULL,
    owner     TEXT NOT NULL,
    PRIMARY KEY (uid, since)
) STRICT, WITHOUT ROWID;

CREATE INDEX observation_open ON observation (uid) WHERE until IS NULL;
CREATE INDEX observation_until ON observation (until);

-- What one hour of an instance came to; written once. Without a currency: seconds at an unknown price, and seconds that nobody saw.
CREATE TABLE ledger_hour (
    uid        TEXT NOT NULL,
    hour       INTEGER NOT NULL, -- its first second
    currency   TEXT NOT NULL,
    ready      INTEGER NOT NULL, -- seconds
    unobserved INTEGER NOT NULL, -- seconds
    micros     INTEGER NOT NULL,
    basis      TEXT NOT NULL,
    PRIMARY KEY (uid, hour, currency)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_hour_hour ON ledger_hour (hour);

-- Sums of the hours of a day.
CREATE TABLE ledger_day (
    day        INTEGER NOT NULL, -- its first second
    cluster    TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    home       TEXT NOT NULL,
    promise    TEXT NOT NULL,
    project    TEXT NOT NULL,
    owner      TEXT NOT NULL,
    currency   TEXT NOT NULL,
    ready      INTEGER NOT NULL,
    unobserved INTEGER NOT NULL,
    micros     INTEGER NOT NULL,
    PRIMARY KEY (day, cluster, namespace, home, promise, project, owner, currency)
) STRICT, WITHOUT ROWID;

-- Sums of the hours of a month for each instance.
CREATE TABLE ledger_month (
    month      INTEGER NOT NULL, -- its first second
    cluster    TEXT NOT NULL,
    uid        TEXT NOT NULL,
    project    TEXT NOT NULL,
    currency   TEXT NOT NULL,
    workspace  TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    home       TEXT NOT NULL,
    promise    TEXT NOT NULL,
    version    TEXT NOT NULL,
    owner      TEXT NOT NULL,
    basis      TEXT NOT NULL,
    ready      INTEGER NOT NULL,
    unobserved INTEGER NOT NULL,
    micros     INTEGER NOT NULL,
    PRIMARY KEY (month, cluster, uid, project, currency)
) STRICT, WITHOUT ROWID;
