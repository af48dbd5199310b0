package dev.fermata.live.spec;

import dev.fermata.live.json.RecordJson;

/** A {@link JobSpec} as the store keeps it: JSON with the record's own names, secrets included. Never shown to anybody. */
public final class StoredSpec {
    private static final RecordJson JSON = new RecordJson();

    private StoredSpec() {}

    public static String write(JobSpec spec) {
        return JSON.write(spec);
    }

    public static JobSpec read(String text) {
        return JSON.read(text, JobSpec.class);
    }
}
