-- What people did with a request that the request itself doesn't record. It outlives the request.
CREATE TABLE request_activity (
    id        TEXT    NOT NULL PRIMARY KEY,
    cluster   TEXT    NOT NULL,
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    uid       TEXT    NOT NULL,
    person    TEXT    NOT NULL,
    kind      TEXT    NOT NULL, -- revealed, deleted
    detail    TEXT    NOT NULL, -- such as the name of an output; never a value
    at        BIGINT NOT NULL -- seconds since 1970
);

CREATE INDEX request_activity_request ON request_activity (cluster, namespace, name, at);
