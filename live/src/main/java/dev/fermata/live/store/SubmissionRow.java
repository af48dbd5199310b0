package dev.fermata.live.store;

/** A submission with an idempotency key: the same key and digest returns the same jobs, another digest is rejected. */
public record SubmissionRow(String user, String key, String digest, long firstJob, int jobs, long atMillis) {}
