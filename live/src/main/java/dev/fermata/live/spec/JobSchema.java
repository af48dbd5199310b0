package dev.fermata.live.spec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The JSON Schema of a job document, for editors and other programs; {@link JobFileParser} is authoritative. */
public final class JobSchema {
    private JobSchema() {}

    public static byte[] text() {
        try (InputStream in = JobSchema.class.getResourceAsStream("job.schema.json")) {
            if (in == null) {
                throw new IllegalStateException("job.schema.json is missing from the jar");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
