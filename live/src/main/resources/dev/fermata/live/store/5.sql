-- The speed of one profile on a GPU shared with another; the order matters. Profiles by model and command.
CREATE TABLE pair (
    slowed TEXT NOT NULL,
    beside TEXT NOT NULL,
    gpu_type TEXT NOT NULL,
    at_millis BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (slowed, beside, gpu_type)
);
CREATE INDEX pair_at ON pair (at_millis);
