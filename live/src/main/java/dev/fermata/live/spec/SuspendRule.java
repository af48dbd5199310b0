package dev.fermata.live.spec;

import java.util.List;
import java.util.Locale;

/** Whether a job may be suspended in place, as its submitter says. */
public enum SuspendRule {
    /** If it has one CUDA process: several may share CUDA memory, which cannot be restored. */
    AUTO,
    /** With all its CUDA processes: they are known to share no CUDA memory. */
    ALL,
    /** It saves and leaves. */
    NEVER;

    static final List<String> WORDS = List.of(AUTO.word(), ALL.word(), NEVER.word());

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** AUTO for a word of none. */
    static SuspendRule of(String word) {
        return WORDS.contains(word) ? valueOf(word.toUpperCase(Locale.ROOT)) : AUTO;
    }
}
