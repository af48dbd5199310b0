package dev.fermata.cli.remote;

import dev.fermata.insight.exit.UserError;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A job as people name it: {@code 123}, or {@code 123.2} for its second attempt ({@code attempt} is 0 when none is named). */
record JobId(long job, int attempt) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})(?:\\.(\\d{1,9}))?");

    static JobId parse(String text) {
        Matcher m = FORM.matcher(text);
        if (!m.matches()) {
            throw UserError.invalid(
                    "'" + text + "' is no job: ids are numbers such as 123, or 123.2 for an attempt (see fermata ls)");
        }
        return new JobId(Long.parseLong(m.group(1)), m.group(2) == null ? 0 : Integer.parseInt(m.group(2)));
    }

    /** For verbs that cannot be meant for one attempt. */
    static long parseJob(String text) {
        JobId id = parse(text);
        if (id.attempt() > 0) {
            throw UserError.invalid("'" + text + "' names an attempt; this works on whole jobs: " + id.job());
        }
        return id.job();
    }

    String path() {
        return path(job);
    }

    static String path(long job) {
        return "jobs/" + job;
    }
}
