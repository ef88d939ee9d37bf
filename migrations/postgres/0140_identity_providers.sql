-- Sessions that began at an identity provider. `refresh` is sealed like `token`; `token_expires` is when `token` ends, which `refresh`
-- replaces before. `subject` and `sid` are how the provider names person and session when it ends them.
ALTER TABLE session ADD COLUMN provider      TEXT    NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN subject       TEXT    NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN sid           TEXT    NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN refresh       BYTEA   NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN token_expires BIGINT  NOT NULL DEFAULT 253402300799; -- seconds since 1970
ALTER TABLE session ADD COLUMN authenticated BIGINT  NOT NULL DEFAULT 0; -- when the person proved who they are at the provider
ALTER TABLE session ADD COLUMN leased        BIGINT  NOT NULL DEFAULT 0; -- until when one replica renews the token

-- Of every session: the browser, when it was last used, and until when it may rest.
ALTER TABLE session ADD COLUMN browser       TEXT    NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN used          BIGINT  NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN rests         BIGINT  NOT NULL DEFAULT 253402300799;

CREATE INDEX session_person ON session (person);
CREATE INDEX session_subject ON session (provider, subject);

-- Sign-ins that are under way at an identity provider. `id` is a digest of the browser's cookie and the state, so that neither is in
-- here; `content` is sealed.
CREATE TABLE sign_in_attempt (
    id      BYTEA   NOT NULL PRIMARY KEY,
    content BYTEA   NOT NULL,
    expires BIGINT  NOT NULL
);

CREATE INDEX sign_in_attempt_expires ON sign_in_attempt (expires);
