-- Who changed a policy through the portal, and what. It outlives the policy.
CREATE TABLE policy_change (
    id      TEXT    NOT NULL PRIMARY KEY,
    cluster TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    person  TEXT    NOT NULL,
    kind    TEXT    NOT NULL, -- created, changed, disabled, enabled, deleted
    detail  TEXT    NOT NULL, -- what changed, as JSON
    at      BIGINT NOT NULL -- seconds since 1970
);

CREATE INDEX policy_change_policy ON policy_change (cluster, name, at);
