-- One row: the leader and its last entry. Every append updates it, so that only one daemon can write.
CREATE TABLE meta (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    epoch BIGINT NOT NULL,
    ticket BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    writer TEXT NOT NULL,
    since_millis BIGINT NOT NULL
);
INSERT INTO meta (only_row, epoch, ticket, last_seq, writer, since_millis) VALUES (1, 0, 0, 0, '', 0);

-- The history. Each entry holds the owner of its job, so that a user's entries are found by an index.
CREATE TABLE line (
    seq {key},
    at_millis BIGINT NOT NULL,
    job BIGINT NOT NULL,
    attempt INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    owner TEXT NOT NULL
);
CREATE INDEX line_of_job ON line (job, seq);
CREATE INDEX line_of_owner ON line (owner, seq);
CREATE INDEX line_at ON line (at_millis, seq);

CREATE TABLE job (
    id {key},
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    queue TEXT NOT NULL,
    class TEXT NOT NULL,
    gpus INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    preemptions INTEGER NOT NULL,
    submitted_millis BIGINT NOT NULL,
    since_millis BIGINT NOT NULL,
    first_start_millis BIGINT NOT NULL,
    finished_millis BIGINT NOT NULL,
    wait_millis BIGINT NOT NULL,
    run_millis BIGINT NOT NULL,
    held TEXT NOT NULL,
    on_hold INTEGER NOT NULL,
    exit_code INTEGER,
    detail TEXT NOT NULL,
    array_id BIGINT NOT NULL,
    array_index INTEGER NOT NULL
);
CREATE INDEX job_by_state ON job (state, id);
CREATE INDEX job_of_owner ON job (owner, state, id);
CREATE INDEX job_of_array ON job (array_id, id) WHERE array_id >= 0;
CREATE INDEX job_ended ON job (finished_millis, id) WHERE finished_millis >= 0;

-- Separate from job: it may be long and rarely changes, while job rows are short, change often and are searched.
CREATE TABLE spec (
    job {key},
    body TEXT NOT NULL
);

CREATE TABLE run (
    job BIGINT NOT NULL,
    attempt INTEGER NOT NULL,
    gpus TEXT NOT NULL,
    started_millis BIGINT NOT NULL,
    running_millis BIGINT NOT NULL,
    pausing_millis BIGINT NOT NULL,
    left_millis BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    exit_code INTEGER,
    signal INTEGER NOT NULL,
    detail TEXT NOT NULL,
    load_millis BIGINT NOT NULL,
    useful_millis BIGINT NOT NULL,
    lost_millis BIGINT NOT NULL,
    pause_millis BIGINT NOT NULL,
    saved_work_millis BIGINT NOT NULL,
    beneficiary BIGINT NOT NULL,
    gain_millis BIGINT NOT NULL,
    cost_millis BIGINT NOT NULL,
    PRIMARY KEY (job, attempt)
);

CREATE TABLE submission (
    owner TEXT NOT NULL,
    submission_key TEXT NOT NULL,
    digest TEXT NOT NULL,
    first_job BIGINT NOT NULL,
    jobs INTEGER NOT NULL,
    at_millis BIGINT NOT NULL,
    PRIMARY KEY (owner, submission_key)
);

CREATE TABLE audit (
    seq {serial},
    at_millis BIGINT NOT NULL,
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    origin TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    result TEXT NOT NULL
);

CREATE TABLE token (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_millis BIGINT NOT NULL,
    expires_millis BIGINT NOT NULL,
    revoked_millis BIGINT NOT NULL
);

CREATE TABLE image (
    seq {key},
    body TEXT NOT NULL
);
