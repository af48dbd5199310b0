package dev.fermata.bench.command;

import dev.fermata.bench.measure.DecisionLatency;
import dev.fermata.bench.measure.LatencySample;
import dev.fermata.bench.measure.QueueAssignment;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.io.PrintWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench decide}: latency of single decisions. */
@Command(
        name = "decide",
        description = "Latency of one decision on a full cluster of 5,000 nodes with 10,000 jobs waiting.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench decide --policies srtf,las"})
final class BenchDecideCommand extends FermataCommand {
    private static final int WARM_UP_STEPS = 4000;

    @Option(names = "--quick", description = "100 nodes, 500 jobs waiting, fewer steps.")
    private boolean quick;

    @Option(
            names = "--policies",
            paramLabel = "LIST",
            defaultValue = "all",
            description = "Policies joined by commas, or all (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Option(names = "--cluster", paramLabel = "SPEC", description = "Another cluster (default: 5000x8:V100).")
    private @Nullable String cluster;

    @Option(names = "--pending", paramLabel = "N", description = "Jobs that wait (default: 10000).")
    private @Nullable String pending;

    @Option(names = "--steps", paramLabel = "N", description = "Steps to time (default: 20000).")
    private @Nullable String steps;

    @Option(
            names = "--queues",
            paramLabel = "N",
            description = "Spread the jobs over N queues, every second with a guarantee (default: no queues).")
    private @Nullable String queues;

    @Option(names = "--node-changes", description = "A node changes each second, while steps are timed.")
    private boolean nodeChanges;

    @Option(names = "--cpu", description = "Time the CPU of the deciding thread, not the wall: for busy machines.")
    private boolean cpu;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchDecideCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int waiting = UserError.wrapInvalid(() -> count("--pending", pending, quick ? 500 : 10_000));
        int timed = UserError.wrapInvalid(() -> count("--steps", steps, quick ? 2000 : 20_000));
        List<PolicySpec> chosen = UserError.wrapInvalid(
                () -> PolicyList.parse(policies.equals("all") ? String.join(",", PolicyCatalogue.names()) : policies));
        Topology topology = UserError.wrapInvalid(
                        () -> ClusterInput.parse(cluster == null ? (quick ? "100x8:V100" : "5000x8:V100") : cluster))
                .topology();
        int spread = UserError.wrapInvalid(() -> count("--queues", queues, 0));
        Workload jobs = QueueAssignment.spread(spread, jobs(topology, waiting, timed, seedNumber), topology);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (PolicySpec policy : chosen) {
            if (!invocation.interruption().isRequested()) {
                rows.addAll(measure(policy, topology, jobs, waiting, timed, seedNumber));
            }
        }
        print(rows, topology, waiting, format);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private static int count(String flag, @Nullable String text, int otherwise) {
        return text == null ? otherwise : (int) Quantity.integer(flag, text, 1, 10_000_000);
    }

    /** Long batch jobs, enough to fill the cluster and the queue, and as many trials. */
    private static Workload jobs(Topology topology, int waiting, int timed, long seed) {
        long batch = topology.gpuCount() + waiting + (long) timed;
        return WorkloadSpec.generate("synthetic:jobs=" + 2 * batch + ",trial=0.5,median=40000", topology, seed);
    }

    private List<Map<String, Object>> measure(
            PolicySpec policy, Topology topology, Workload jobs, int waiting, int timed, long seedNumber) {
        if (!output.quiet) {
            err().println(policy.text() + " …");
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        LongSupplier clock = cpu ? threads::getCurrentThreadCpuTime : System::nanoTime;
        latency(topology, jobs, policy, seedNumber, clock).measure(waiting, Math.min(timed, WARM_UP_STEPS), this::stop);
        System.gc();
        long collections = collections();
        DecisionLatency bench = latency(topology, jobs, policy, seedNumber, clock);
        Map<DecisionLatency.StepOutcome, LatencySample> latencies = bench.measure(waiting, timed, this::stop);
        long collected = collections() - collections;
        List<Map<String, Object>> rows = new ArrayList<>();
        latencies.forEach((variant, sample) -> {
            if (sample.count() > 0) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("policy", policy.text());
                row.put("step", variant.name().toLowerCase(Locale.ROOT));
                row.put("steps", sample.count());
                row.put("p50Micros", RunFields.rounded(sample.percentileMicros(50), 1));
                row.put("p90Micros", RunFields.rounded(sample.percentileMicros(90), 1));
                row.put("p99Micros", RunFields.rounded(sample.percentileMicros(99), 1));
                row.put("maxMicros", RunFields.rounded(sample.percentileMicros(100), 1));
                row.put("running", bench.runningJobs());
                row.put("pending", bench.pendingJobs());
                row.put("collections", collected);
                rows.add(row);
            }
        });
        return rows;
    }

    private DecisionLatency latency(
            Topology topology, Workload jobs, PolicySpec policy, long seedNumber, LongSupplier clock) {
        DecisionLatency latency = new DecisionLatency(topology, jobs, policy, seedNumber, clock);
        return nodeChanges ? latency.withChangingNodes() : latency;
    }

    private boolean stop() {
        return invocation.interruption().isRequested();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private void print(List<Map<String, Object>> rows, Topology topology, int waiting, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, rows, out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("policy")
                .textColumn("step")
                .numberColumn("steps", TextTable.ALWAYS)
                .numberColumn("p50 µs", TextTable.ALWAYS)
                .numberColumn("p90 µs", 3)
                .numberColumn("p99 µs", TextTable.ALWAYS)
                .numberColumn("max µs", 4)
                .numberColumn("running", 2)
                .numberColumn("pending", 2)
                .numberColumn("GCs", 1);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        out.println(HumanFormat.count(topology.nodes().size()) + " nodes, " + HumanFormat.count(topology.gpuCount())
                + " GPUs, about " + HumanFormat.count(waiting) + " jobs waiting");
        out.println();
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println(
                "started: on free GPUs, without a pause. preempted: jobs were paused, or vacating GPUs reserved. no_action:");
        out.println(
                "no job could be started (a preemptive policy weighs pauses there too). worked_ahead: no job waits for it (over");
        out.println("0.1 ms only). The maximum includes collections (GCs).");
    }
}
