-- Workspaces that a person keeps at hand.
CREATE TABLE favourite (
    person    TEXT   NOT NULL,
    workspace TEXT   NOT NULL, -- path
    at        BIGINT NOT NULL, -- seconds since 1970
    PRIMARY KEY (person, workspace)
);
