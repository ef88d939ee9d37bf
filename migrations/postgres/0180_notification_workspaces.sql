-- Whether the reason names the workspace, so that lists don't name it again.
ALTER TABLE notification ADD COLUMN names_workspace BIGINT NOT NULL DEFAULT 0;

UPDATE notification SET names_workspace = 1 WHERE strpos(why, workspace) > 0;
