-- How far the page of the audit log has verified the chains. One row.
CREATE TABLE audit_check (
    id      INTEGER NOT NULL PRIMARY KEY, -- always 1
    content TEXT    NOT NULL              -- what was verified, as JSON
) STRICT;
