-- The measured costs of an attempt, as JSON.
ALTER TABLE run ADD COLUMN measured TEXT NOT NULL DEFAULT '';

-- Job profiles; type '' and 0 GPUs stand for all profiles of one command and model together.
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

-- Estimates of remaining work at some moments of a job, and the actual work.
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
