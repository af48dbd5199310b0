package dev.fermata.cli.option;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.ModelErrorInput;
import dev.fermata.insight.input.ModelsInput;
import dev.fermata.insight.input.TraceCache;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of an experiment apart from the policies: cluster, workload, estimator, costs. */
public final class ExperimentOptions {
    public static final String DEFAULT_POLICY = "fermata";

    @Option(
            names = "--cluster",
            paramLabel = "SPEC",
            defaultValue = "16x8:V100",
            description = {
                "NODESxGPUS[:TYPE] or RACKSxNODESxGPUS[:TYPE], joined by +, a YAML file, or a CSV",
                "table of machines (default: ${DEFAULT-VALUE})."
            })
    private String cluster;

    @Option(
            names = "--workload",
            paramLabel = "SPEC",
            defaultValue = "synthetic",
            description = {
                "synthetic[:jobs=N,load=X,trial=X,…], or a trace: a file or a folder",
                "(default: ${DEFAULT-VALUE})."
            })
    private String workload;

    @Mixin
    private TraceOptions trace;

    @Option(
            names = "--speedup",
            paramLabel = "X",
            defaultValue = "1",
            description = "Jobs arrive X times as fast (default: ${DEFAULT-VALUE}).")
    private String speedup;

    @Option(
            names = "--estimator",
            paramLabel = "NAME",
            defaultValue = "oracle",
            description =
                    "What policies know of run times: oracle, noisy:SIGMA, declared, history, progress[:share=S,error=E,after=SECONDS], none (default: ${DEFAULT-VALUE}).")
    private String estimator;

    @Option(
            names = "--costs",
            paramLabel = "COSTS",
            defaultValue = "profiles",
            description = "Pause and load times: none, profiles, scale:X or a file (default: ${DEFAULT-VALUE}).")
    private String costs;

    @Option(
            names = "--models",
            paramLabel = "MODELS",
            defaultValue = ModelsInput.RULE,
            description =
                    "What jobs of a trace train that name no model: rule (drawn by --seed) or none (default: ${DEFAULT-VALUE}).")
    private String models;

    @Option(
            names = "--faults",
            paramLabel = "TIMES",
            defaultValue = "none",
            description =
                    "Mean times to failure and repair, such as node=30d,gpu=90d,repair=4h (default: ${DEFAULT-VALUE}).")
    private String faults;

    @Option(
            names = "--guard",
            paramLabel = "MODE",
            defaultValue = "plan",
            description = "Checks on the policy: off, plan or full (default: ${DEFAULT-VALUE}).")
    private String guard;

    @Option(
            names = "--queues",
            paramLabel = "FILE",
            defaultValue = "none",
            description = "Guarantees, limits and weights of queues, a YAML file (default: ${DEFAULT-VALUE}).")
    private String queues;

    @Option(
            names = "--model-error",
            paramLabel = "ERRORS",
            defaultValue = ModelErrorInput.NONE,
            description =
                    "How wrong policies are about speeds and costs: none, measured, or some of types=S,placement=S,corun=S,corun-bias=B,costs=S,network=0..1 (default: ${DEFAULT-VALUE}).")
    private String modelError;

    public TraceCache traces() {
        return trace.traces();
    }

    public ExperimentSpec spec(List<PolicySpec> policies) {
        return new ExperimentSpec(
                cluster,
                workload,
                trace.format,
                trace.select,
                speedup,
                estimator,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }
}
