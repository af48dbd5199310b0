package dev.fermata.insight.experiment;

import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.insight.input.TraceCache;
import java.util.List;

/** Runs to be made on small generated workloads. */
public final class MatrixCells {
    private MatrixCells() {}

    public static List<MatrixCell> of(List<String> policies, List<Long> seeds, int jobs) {
        return of("synthetic:jobs=" + jobs, policies, seeds);
    }

    public static List<MatrixCell> of(String workload, List<String> policies, List<Long> seeds) {
        return matrix(workload, policies, seeds).cells();
    }

    public static ExperimentMatrix matrix(String workload, List<String> policies, List<Long> seeds) {
        ExperimentSpec spec = new ExperimentSpec(
                "1x8",
                workload,
                TraceCache.DETECT,
                "",
                "1",
                "oracle",
                "profiles",
                "rule",
                "none",
                "plan",
                "none",
                "none",
                PolicyList.parse(String.join(",", policies)));
        return new ExperimentMatrix(List.of(spec.parse(new TraceCache(false))), seeds, new Interruption());
    }
}
