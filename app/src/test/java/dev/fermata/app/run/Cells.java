package dev.fermata.app.run;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.input.Scenario;
import dev.fermata.app.input.Traces;
import java.util.List;

/** Runs to be made on small generated workloads. */
public final class Cells {
    private Cells() {}

    public static List<Cell> of(List<String> policies, List<Long> seeds, int jobs) {
        return of("synthetic:jobs=" + jobs, policies, seeds);
    }

    public static List<Cell> of(String workload, List<String> policies, List<Long> seeds) {
        return matrix(workload, policies, seeds).cells();
    }

    public static Matrix matrix(String workload, List<String> policies, List<Long> seeds) {
        Scenario scenario = new Scenario(
                "1x8",
                workload,
                Traces.DETECT,
                "",
                "1",
                "oracle",
                "profiles",
                "rule",
                "none",
                "plan",
                "none",
                PolicyList.parse(String.join(",", policies)));
        return new Matrix(List.of(scenario.check(new Traces(false))), seeds, new Interruption());
    }
}
