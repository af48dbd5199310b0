package dev.fermata.cli.option;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.sim.workload.SimulatedJob;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Warnings about results, printed on stderr, each once. */
public final class ResultWarnings {
    private ResultWarnings() {}

    /** Reports what was read, unless quiet, and what could not be read. */
    public static void printFor(TraceCache traces, boolean quiet, PrintWriter err) {
        if (!quiet) {
            traces.summaries().forEach(err::println);
        }
        print(traces.warnings(), err);
    }

    /** Warns of estimator {@code declared} where no job declares a run time. */
    public static void printUndeclared(List<ExperimentSetting> settings, long seed, PrintWriter err) {
        Set<String> warnings = new LinkedHashSet<>();
        for (ExperimentSetting setting : settings) {
            if (setting.estimator().equals("declared")) {
                List<SimulatedJob> jobs = setting.workload(seed).jobs();
                if (jobs.stream().allMatch(job -> job.job().declaredMillis() == 0)) {
                    warnings.add(HumanFormat.count(jobs.size()) + " of " + HumanFormat.amount(jobs.size(), "job")
                            + " declare no run time; they are treated as with none");
                }
            }
        }
        print(warnings, err);
    }

    public static void printFor(List<MeasuredRun> runs, PrintWriter err) {
        Set<String> warnings = new LinkedHashSet<>();
        for (MeasuredRun run : runs) {
            if (run.infeasible().count() > 0) {
                warnings.add(run.infeasible().message());
            }
            if (run.result().rejectedActions() > 0) {
                warnings.add("plan guard: rejected actions (" + run.result().rejectedActions() + ") of policy "
                        + run.policy().text() + ": that is a bug in the policy");
            }
        }
        print(warnings, err);
    }

    private static void print(Collection<String> warnings, PrintWriter err) {
        warnings.forEach(warning -> err.println("fermata: warning: " + warning));
        err.flush();
    }
}
