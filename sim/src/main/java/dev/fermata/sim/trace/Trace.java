package dev.fermata.sim.trace;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * A trace that was read: its records, and what became of the rest. Records are in the order of its files, or of time
 * where that says nothing ({@link TraceFormat#isChronological}).
 *
 * @param name of the file or folder
 * @param skippedFiles files of the folder that are no traces of this format
 * @param records at least one
 * @param originMillis the submit time that counts as zero: the first one where the format has dates, else 0
 * @param readSummary over all files
 */
public record Trace(
        String name,
        TraceFormat format,
        List<Path> files,
        List<Path> skippedFiles,
        List<TraceRecord> records,
        long originMillis,
        TraceReadSummary readSummary) {

    /** When time zero was, in milliseconds since 1970 by the trace's own clock. */
    public OptionalLong date() {
        return format.hasDates() ? OptionalLong.of(originMillis) : OptionalLong.empty();
    }

    public String describe() {
        return format.name() + ": " + readSummary.describe();
    }
}
