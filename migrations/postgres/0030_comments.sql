-- What people remarked about a request that waits for decisions. Those who may see the request read it.
CREATE TABLE comment (
    id      TEXT   NOT NULL PRIMARY KEY,
    request TEXT   NOT NULL, -- uid of the PromiseRequest
    author  TEXT   NOT NULL,
    text    TEXT   NOT NULL,
    created BIGINT NOT NULL  -- microseconds since 1970, so that remarks of one second keep their order
);

CREATE INDEX comment_request ON comment (request, created);
