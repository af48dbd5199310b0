package dev.fermata.research.judge;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.ModelErrorInput;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.input.WorkloadInput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and a workload on which policies are judged.
 *
 * @param modelError how wrong policies are about the cluster, as {@code --model-error} takes it
 */
public record JudgeCell(String name, String cluster, String workload, String costs, String models, String modelError) {

    /** The same where policies are wrong about the cluster. */
    public JudgeCell withModelError(String other) {
        return new JudgeCell(name, cluster, workload, costs, models, other);
    }

    /** Its name, with the model error if there is one. */
    public String title() {
        return name + ModelErrorInput.parse(modelError).suffix();
    }

    /** Whether the workload is generated; otherwise it is a trace. */
    public boolean isGenerated() {
        return WorkloadInput.isGenerator(workload);
    }

    /** The cell with the files of this folder, or null where the trace is not there. */
    @Nullable
    JudgeCell in(@Nullable Path folder) {
        if (isGenerated()) {
            return this;
        }
        Path trace = folder == null ? Path.of(workload) : folder.resolve(workload);
        if (!Files.exists(trace)) {
            return null;
        }
        Path costsFile = folder == null ? Path.of(costs) : folder.resolve(costs);
        return new JudgeCell(
                name,
                cluster,
                trace.toString(),
                Files.exists(costsFile) ? costsFile.toString() : costs,
                models,
                modelError);
    }

    ExperimentSetting setting(String estimator, List<PolicySpec> policies, TraceCache traces) {
        return new ExperimentSpec(
                        cluster,
                        workload,
                        TraceCache.DETECT,
                        "",
                        "1",
                        estimator,
                        costs,
                        models,
                        "none",
                        "plan",
                        "none",
                        modelError,
                        policies)
                .parse(traces);
    }
}
