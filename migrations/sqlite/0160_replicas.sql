-- How often something was done in a session: replicas that share a database know by it that what they keep in memory is out of date.
ALTER TABLE session ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;

-- Files of the site, of every version that ran lately: a page of one version can ask a replica of another for them. `content` is sealed for
-- its address, so that no one who can only write to the database can change what
-- browsers run.
CREATE TABLE site_file (
    address TEXT    NOT NULL PRIMARY KEY,
    kind    TEXT    NOT NULL, -- media type
    content BLOB    NOT NULL,
    used    INTEGER NOT NULL  -- when a replica of that version last ran, seconds since 1970
) STRICT;
