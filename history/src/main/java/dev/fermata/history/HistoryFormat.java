package dev.fermata.history;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The version of the durable format. Every body that is written carries it as {@code v}: history entries, snapshots, job specs,
 * profiles, co-runs and the measurements of attempts. A change of the format raises {@link #VERSION}, adds a step to
 * {@link FormatUpgrade} and keeps golden files of the version before.
 */
public final class HistoryFormat {
    /** 1: Fermata 0.1.0. 2: the field's names, written by an explicit codec. 3: the cluster, with stable ids. */
    public static final int VERSION = 3;

    static final String VERSION_KEY = "v";

    private HistoryFormat() {}

    /** 0.1.0 wrote its first bodies without a version. */
    static int versionOf(JsonNode body) {
        return Math.max(1, body.path(VERSION_KEY).asInt(1));
    }

    /** Throws when a newer program wrote the text: what it means cannot be known here. */
    public static void requireReadable(int version, String what) {
        if (version > VERSION) {
            throw new NewerFormatException(
                    what + " has format " + version + ", written by a newer fermata; this one reads up to " + VERSION
                            + ". Use the newer program, or another data folder.");
        }
    }

    /** Thrown for a format that only a newer program knows. */
    public static final class NewerFormatException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        NewerFormatException(String message) {
            super(message);
        }
    }
}
