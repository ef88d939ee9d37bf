-- The audit log: what people changed through the portal, and what it saw changed past it. One chain for each replica.
CREATE TABLE audit_record (
    chain       TEXT    NOT NULL, -- the replica that wrote it
    sequence    BIGINT  NOT NULL, -- from 1
    previous    TEXT    NOT NULL, -- hash of the record before
    hash        TEXT    NOT NULL,
    at          BIGINT  NOT NULL, -- microseconds since 1970
    source      TEXT    NOT NULL, -- portal, rest, cli, plane, log
    actor       TEXT    NOT NULL, -- empty if unknown
    operation   TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    cluster     TEXT    NOT NULL, -- id of the workspace
    workspace   TEXT    NOT NULL, -- its path at that time
    namespace   TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    before_hash TEXT    NOT NULL, -- of the object's content; empty if unknown
    after_hash  TEXT    NOT NULL,
    request_id  TEXT    NOT NULL,
    outcome     TEXT    NOT NULL, -- done, failed, unknown
    code        BIGINT  NOT NULL, -- HTTP status of the control plane; 0 if none
    detail      TEXT    NOT NULL,
    PRIMARY KEY (chain, sequence)
);

CREATE INDEX audit_record_at ON audit_record (at);

CREATE FUNCTION audit_record_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'records of the audit log are never changed';
END
$$;

CREATE TRIGGER audit_record_stays BEFORE UPDATE ON audit_record FOR EACH ROW EXECUTE FUNCTION audit_record_stays();

-- Where each chain ends.
CREATE TABLE audit_chain (
    chain    TEXT    NOT NULL PRIMARY KEY,
    sequence BIGINT  NOT NULL, -- 0 before the first record
    hash     TEXT    NOT NULL
);

-- Changes that were begun and have no record yet.
CREATE TABLE audit_intent (
    id        TEXT    NOT NULL PRIMARY KEY,
    chain     TEXT    NOT NULL,
    begun     BIGINT  NOT NULL, -- microseconds since 1970
    kind      TEXT    NOT NULL,
    cluster   TEXT    NOT NULL,
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    entry     TEXT    NOT NULL  -- what the record will say, as JSON
);

-- The last known state of each object, without its content: tells changes that were made past the portal from its own.
CREATE TABLE audit_object (
    kind       TEXT    NOT NULL,
    cluster    TEXT    NOT NULL,
    namespace  TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    uid        TEXT    NOT NULL,
    generation BIGINT  NOT NULL,
    edition    TEXT    NOT NULL, -- digest of uid, generation, labels and annotations
    hash       TEXT    NOT NULL, -- of the content; empty if unknown
    stamped    TEXT    NOT NULL, -- digest of what admission stamps; empty if unknown
    stamp      TEXT    NOT NULL, -- who admission says it was
    made       BIGINT  NOT NULL, -- 1 if a component of the platform created it
    PRIMARY KEY (kind, cluster, namespace, name)
);
