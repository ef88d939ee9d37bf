-- How far the cost ledger has come, in seconds since 1970: one row.
CREATE TABLE ledger_clock (
    id     BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    seen   BIGINT NOT NULL, -- everything that is ready was last looked at then
    posted BIGINT NOT NULL  -- hours before it are complete and in ledger_hour
);

-- Stretches of time in which an instance was ready at one price, or in which nobody saw it. Times without a row are times in which it was not
-- ready. A row without an end goes on until ledger_clock.seen.
CREATE TABLE observation (
    uid       TEXT NOT NULL,
    since     BIGINT NOT NULL,
    until     BIGINT,
    ready     BIGINT NOT NULL, -- 1; 0 where nobody saw it
    monthly   BIGINT,          -- millionths of the currency; absent where the price is not known
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
);

CREATE INDEX observation_open ON observation (uid) WHERE until IS NULL;
CREATE INDEX observation_until ON observation (until);

-- What one hour of an instance came to; written once. Without a currency: seconds at an unknown price, and seconds that nobody saw.
CREATE TABLE ledger_hour (
    uid        TEXT NOT NULL,
    hour       BIGINT NOT NULL, -- its first second
    currency   TEXT NOT NULL,
    ready      BIGINT NOT NULL, -- seconds
    unobserved BIGINT NOT NULL, -- seconds
    micros     BIGINT NOT NULL,
    basis      TEXT NOT NULL,
    PRIMARY KEY (uid, hour, currency)
);

CREATE INDEX ledger_hour_hour ON ledger_hour (hour);

-- Sums of the hours of a day.
CREATE TABLE ledger_day (
    day        BIGINT NOT NULL, -- its first second
    cluster    TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    home       TEXT NOT NULL,
    promise    TEXT NOT NULL,
    project    TEXT NOT NULL,
    owner      TEXT NOT NULL,
    currency   TEXT NOT NULL,
    ready      BIGINT NOT NULL,
    unobserved BIGINT NOT NULL,
    micros     BIGINT NOT NULL,
    PRIMARY KEY (day, cluster, namespace, home, promise, project, owner, currency)
);

-- Sums of the hours of a month for each instance.
CREATE TABLE ledger_month (
    month      BIGINT NOT NULL, -- its first second
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
    ready      BIGINT NOT NULL,
    unobserved BIGINT NOT NULL,
    micros     BIGINT NOT NULL,
    PRIMARY KEY (month, cluster, uid, project, currency)
);
