-- Up to which line of the history a row knows what attempts showed. Until now rows were written with every line that taught something.
ALTER TABLE kind ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE kind SET seq = (SELECT last_seq FROM meta);
