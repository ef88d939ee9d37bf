-- Whether the reason names the workspace, so that lists don't name it again.
ALTER TABLE notification ADD COLUMN names_workspace INTEGER NOT NULL DEFAULT 0;

UPDATE notification SET names_workspace = 1 WHERE instr(why, workspace) > 0;
