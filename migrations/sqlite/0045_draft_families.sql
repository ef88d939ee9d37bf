-- The drafts of one form belong together, and one of them can be shared.
ALTER TABLE draft ADD COLUMN family TEXT NOT NULL DEFAULT ''; -- id of the first draft of this form
ALTER TABLE draft ADD COLUMN title TEXT NOT NULL DEFAULT ''; -- what lists call it
ALTER TABLE draft ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; -- whether people of its workspace can open it

UPDATE draft SET family = id;
