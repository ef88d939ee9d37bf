-- Name of a person from the token of the last sign-in; empty if the token had none.
ALTER TABLE acquaintance ADD COLUMN name TEXT NOT NULL DEFAULT '';
