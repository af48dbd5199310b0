-- What an attempt showed of its own costs, as JSON.
ALTER TABLE run ADD COLUMN measured TEXT NOT NULL DEFAULT '';

-- What was learned of each kind of job; type '' and 0 GPUs stand for all kinds of one command and model together.
CREATE TABLE kind (
    command TEXT NOT NULL,
    model TEXT NOT NULL,
    gpu_type TEXT NOT NULL,
    gpus INTEGER NOT NULL,
    at_millis BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (command, model, gpu_type, gpus)
);
CREATE INDEX kind_at ON kind (at_millis);

-- What was expected of a job at some moments of its life, and what came of it.
CREATE TABLE estimate (
    job BIGINT NOT NULL,
    moment TEXT NOT NULL,
    at_millis BIGINT NOT NULL,
    source TEXT NOT NULL,
    done_millis BIGINT NOT NULL,
    p10_millis BIGINT NOT NULL,
    p50_millis BIGINT NOT NULL,
    p90_millis BIGINT NOT NULL,
    truth_millis BIGINT NOT NULL,
    PRIMARY KEY (job, moment)
);
CREATE INDEX estimate_at ON estimate (at_millis);
