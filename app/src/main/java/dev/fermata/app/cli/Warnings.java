package dev.fermata.app.cli;

import dev.fermata.app.input.Setting;
import dev.fermata.app.input.Traces;
import dev.fermata.app.output.Humane;
import dev.fermata.app.run.Measured;
import dev.fermata.sim.workload.TrueJob;
import java.io.PrintWriter;
import java.util.Collection;
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
        say(traces.warnings(), err);
    }

    /** An estimator that asks the jobs, where none of them has an answer. */
    static void aboutDeclared(List<Setting> settings, long seed, PrintWriter err) {
        Set<String> warnings = new LinkedHashSet<>();
        for (Setting setting : settings) {
            if (setting.estimator().equals("declared")) {
                List<TrueJob> jobs = setting.workload(seed).jobs();
                if (jobs.stream().allMatch(job -> job.job().declaredMillis() == 0)) {
                    warnings.add(Humane.count(jobs.size()) + " of " + Humane.amount(jobs.size(), "job")
                            + " declare no run time; they are treated as with none");
                }
            }
        }
        say(warnings, err);
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
        say(warnings, err);
    }

    private static void say(Collection<String> warnings, PrintWriter err) {
        warnings.forEach(warning -> err.println("fermata: warning: " + warning));
        err.flush();
    }
}
