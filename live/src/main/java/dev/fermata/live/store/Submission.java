package dev.fermata.live.store;

/** A submission that carried a key: the same key and digest again gets the same jobs, another digest is refused. */
public record Submission(String user, String key, String digest, long firstJob, int jobs, long atMillis) {}
