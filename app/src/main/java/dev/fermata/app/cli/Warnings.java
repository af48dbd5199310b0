package dev.fermata.app.cli;

import dev.fermata.app.input.Traces;
import dev.fermata.app.run.Measured;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a reader of results must not miss; said on stderr, each thing once. */
final class Warnings {
    private Warnings() {}

    /** What was read, unless that is too much to say, and what could not be. */
    static void about(Traces traces, boolean quiet, PrintWriter err) {
        if (!quiet) {
            traces.words().forEach(err::println);
        }
        traces.warnings().forEach(warning -> err.println("fermata: warning: " + warning));
        err.flush();
    }

    static void about(List<Measured> runs, PrintWriter err) {
        Set<String> warnings = new LinkedHashSet<>();
        for (Measured run : runs) {
            if (run.refusals().count() > 0) {
                warnings.add(run.refusals().message());
            }
            if (run.result().rejectedActions() > 0) {
                warnings.add("the guard refused " + run.result().rejectedActions() + " actions of policy "
                        + run.policy().text() + ": that is a bug in the policy");
            }
        }
        warnings.forEach(warning -> err.println("fermata: warning: " + warning));
        err.flush();
    }
}
