package dev.fermata.app.cli;

import dev.fermata.app.bench.DecisionLatency;
import dev.fermata.app.bench.Latencies;
import dev.fermata.app.bench.QueueSpread;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.io.PrintWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench decide}: latency of single decisions. */
@Command(
        name = "decide",
        description = "Latency of one decision on a full cluster of 5,000 nodes with 10,000 jobs waiting.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench decide --policies srtf,las"})
final class BenchDecide implements Callable<Integer> {
    private static final int WARM_UP_STEPS = 4000;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchDecide(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int waiting = Complaint.ifInvalid(() -> count("--pending", pending, quick ? 500 : 10_000));
        int timed = Complaint.ifInvalid(() -> count("--steps", steps, quick ? 2000 : 20_000));
        List<PolicySpec> chosen = Complaint.ifInvalid(
                () -> PolicyList.parse(policies.equals("all") ? String.join(",", Catalogue.names()) : policies));
        Topology topology = Complaint.ifInvalid(
                        () -> ClusterInput.parse(cluster == null ? (quick ? "100x8:V100" : "5000x8:V100") : cluster))
                .topology();
        int spread = Complaint.ifInvalid(() -> count("--queues", queues, 0));
        Workload jobs = QueueSpread.over(spread, jobs(topology, waiting, timed, seedNumber), topology);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (PolicySpec policy : chosen) {
            if (!surroundings.interruption().asked()) {
                rows.addAll(measure(policy, topology, jobs, waiting, timed, seedNumber));
            }
        }
        print(rows, topology, waiting, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private static int count(String flag, @Nullable String text, int otherwise) {
        return text == null ? otherwise : (int) Quantity.whole(flag, text, 1, 10_000_000);
    }

    /** Long batch jobs, enough to fill the cluster and the queue, and as many trials. */
    private static Workload jobs(Topology topology, int waiting, int timed, long seed) {
        long batch = topology.gpuCount() + waiting + (long) timed;
        return WorkloadSpec.generate("synthetic:jobs=" + 2 * batch + ",trial=0.5,median=40000", topology, seed);
    }

    private List<Map<String, Object>> measure(
            PolicySpec policy, Topology topology, Workload jobs, int waiting, int timed, long seedNumber) {
        if (!output.quiet) {
            spec.commandLine().getErr().println(policy.text() + " …");
        }
        new DecisionLatency(topology, jobs, policy, seedNumber)
                .measure(waiting, Math.min(timed, WARM_UP_STEPS), this::stop);
        System.gc();
        long collections = collections();
        DecisionLatency bench = new DecisionLatency(topology, jobs, policy, seedNumber);
        Map<DecisionLatency.Kind, Latencies> latencies = bench.measure(waiting, timed, this::stop);
        long collected = collections() - collections;
        List<Map<String, Object>> rows = new ArrayList<>();
        latencies.forEach((kind, sample) -> {
            if (sample.count() > 0) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("policy", policy.text());
                row.put("step", kind.name().toLowerCase(Locale.ROOT));
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

    private boolean stop() {
        return surroundings.interruption().asked();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private void print(List<Map<String, Object>> rows, Topology topology, int waiting, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, rows, out);
            return;
        }
        Table table = new Table()
                .words("policy")
                .words("step")
                .numbers("steps", Table.ALWAYS)
                .numbers("p50 µs", Table.ALWAYS)
                .numbers("p90 µs", 3)
                .numbers("p99 µs", Table.ALWAYS)
                .numbers("max µs", 4)
                .numbers("running", 2)
                .numbers("pending", 2)
                .numbers("GCs", 1);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        out.println(Humane.count(topology.nodes().size()) + " nodes, " + Humane.count(topology.gpuCount())
                + " GPUs, about " + Humane.count(waiting) + " jobs waiting");
        out.println();
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println(
                "started: on free GPUs, nobody paused. preempted: jobs were paused or vacating GPUs promised. nothing:");
        out.println(
                "no job could be started (a preemptive policy weighs pauses there too). The maximum includes collections (GCs).");
    }
}
