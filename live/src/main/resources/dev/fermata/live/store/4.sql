-- The last history entry that a row includes. Until now rows were written with every entry that changed them.
ALTER TABLE kind ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE kind SET seq = (SELECT last_seq FROM meta);
