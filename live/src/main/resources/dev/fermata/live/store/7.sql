-- What the engine has confirmed of an attempt. The orders that it has not confirmed follow from this and the state of the job.
ALTER TABLE attempt ADD COLUMN accepted_millis BIGINT NOT NULL DEFAULT -1;
ALTER TABLE attempt ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt ADD COLUMN devices TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt ADD COLUMN start_abort TEXT NOT NULL DEFAULT '';
