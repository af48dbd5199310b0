package dev.fermata.live.spec;

import dev.fermata.history.RecordJson;

/** A {@link JobSpec} as stored JSON, secrets included. It is never shown. */
public final class SpecJson {
    private static final RecordJson JSON = new RecordJson();

    private SpecJson() {}

    public static String write(JobSpec spec) {
        return JSON.write(spec);
    }

    public static JobSpec read(String text) {
        return JSON.read(text, JobSpec.class);
    }
}
