package dev.fermata.bench.command;

import dev.fermata.bench.measure.SimSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.CostsInput;
import dev.fermata.insight.input.JobSelection;
import dev.fermata.insight.input.ModelsInput;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.input.WorkloadInput;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.sim.workload.Workload;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench sim}: speed of the simulator. */
@Command(
        name = "sim",
        description = {
            "Speed of the simulator: 100,000 jobs on 2,500 GPUs under every policy,",
            "and 1,000,000 jobs on 10,000 GPUs under srtf and fermata."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  fermata bench sim --quick", "  fermata bench sim --policies las --jobs 50000"})
final class BenchSimCommand extends FermataCommand {
    /** Policies on a workload on a cluster. */
    private record BenchCase(String cluster, String workload, String policies) {}

    private static final String LARGE_POLICIES = "srtf,fermata";

    @Option(names = "--quick", description = "10,000 jobs on 256 GPUs.")
    private boolean quick;

    @Option(names = "--policies", paramLabel = "LIST", description = "Only these policies, in one case.")
    private @Nullable String policies;

    @Option(names = "--cluster", paramLabel = "SPEC", description = "Another cluster, in one case.")
    private @Nullable String cluster;

    @Option(names = "--workload", paramLabel = "SPEC", description = "Another workload, in one case.")
    private @Nullable String workload;

    @Option(names = "--jobs", paramLabel = "N", description = "Another number of jobs, in one case.")
    private @Nullable String jobs;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchSimCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        List<SimSpeed> speeds = new ArrayList<>();
        for (BenchCase one : UserError.wrapInvalid(this::cases)) {
            run(one, seedNumber, speeds);
        }
        print(speeds, format);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted; " + speeds.size() + " runs were done");
        }
        return ExitCode.OK;
    }

    private List<BenchCase> cases() {
        String all = String.join(",", PolicyCatalogue.names());
        if (!quick && policies == null && cluster == null && workload == null && jobs == null) {
            return List.of(
                    new BenchCase("625x4:V100", spec(100_000), all),
                    new BenchCase("1250x8:V100", spec(1_000_000), LARGE_POLICIES));
        }
        long count = jobs == null ? (quick ? 10_000 : 100_000) : Quantity.integer("--jobs", jobs, 1, 20_000_000);
        return List.of(new BenchCase(
                cluster == null ? (quick ? "32x8:V100" : "625x4:V100") : cluster,
                workload == null ? spec(count) : workload,
                policies == null ? all : policies));
    }

    private static String spec(long jobs) {
        return "synthetic:jobs=" + jobs + ",load=0.95";
    }

    private void run(BenchCase one, long seedNumber, List<SimSpeed> speeds) {
        List<PolicySpec> chosen = UserError.wrapInvalid(() -> PolicyList.parse(one.policies));
        ClusterInput place = UserError.wrapInvalid(() -> ClusterInput.parse(one.cluster));
        Workload work = UserError.wrapInvalid(() -> WorkloadInput.parse(
                        one.workload,
                        TraceCache.DETECT,
                        JobSelection.parse("", "1"),
                        CostsInput.parse("profiles"),
                        ModelsInput.parse(ModelsInput.RULE),
                        new TraceCache(false))
                .workload(place.topology(), seedNumber));
        for (PolicySpec policy : chosen) {
            if (invocation.interruption().isRequested()) {
                return;
            }
            printProgress(
                    policy.text() + ": " + HumanFormat.count(work.jobs().size()) + " jobs on " + one.cluster + " …");
            SimSpeed.warmUp(policy, seedNumber);
            SimSpeed speed = SimSpeed.measure(
                    one.cluster,
                    place.topology(),
                    work,
                    policy,
                    seedNumber,
                    () -> invocation.interruption().isRequested());
            if (speed.complete()) {
                speeds.add(speed);
            }
        }
    }

    private void printProgress(String line) {
        if (!output.quiet) {
            err().println(line);
        }
    }

    private void print(List<SimSpeed> speeds, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(
                    format, speeds.stream().map(BenchSimCommand::fields).toList(), out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("policy")
                .textColumn("cluster")
                .numberColumn("jobs", TextTable.ALWAYS)
                .numberColumn("events", 3)
                .numberColumn("decisions", 2)
                .numberColumn("wall", TextTable.ALWAYS)
                .numberColumn("CPU", 10)
                .numberColumn("events\nper s", 9)
                .numberColumn("µs per\ndecision", 8)
                .numberColumn("peak heap\nMiB", 5)
                .numberColumn("first tenth:\nµs per event", 7)
                .numberColumn("live\njobs", 1)
                .numberColumn("last tenth:\nµs per event", 6)
                .numberColumn("live\njobs", 1);
        for (SimSpeed s : speeds) {
            table.row(
                    s.policy(),
                    s.cluster(),
                    HumanFormat.count(s.jobs()),
                    HumanFormat.count(s.events()),
                    HumanFormat.count(s.decisions()),
                    HumanFormat.number(s.wallSeconds()) + " s",
                    HumanFormat.number(s.cpuSeconds()) + " s",
                    HumanFormat.count(s.eventsPerSecond()),
                    HumanFormat.number(s.microsPerDecision()),
                    HumanFormat.count(s.peakHeapMib()),
                    HumanFormat.number(s.firstTenth().microsPerEvent()),
                    HumanFormat.count(s.firstTenth().liveJobs()),
                    HumanFormat.number(s.lastTenth().microsPerEvent()),
                    HumanFormat.count(s.lastTenth().liveJobs()));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println(
                "Wall is one run after a warm-up on a small workload; CPU is that of the simulating thread. Peak heap counts garbage not collected yet.");
        out.println(
                "An event may cost more where more jobs are live (waiting or running), never because more have ended.");
    }

    private static Map<String, Object> fields(SimSpeed s) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", s.policy());
        fields.put("cluster", s.cluster());
        fields.put("jobs", s.jobs());
        fields.put("events", s.events());
        fields.put("decisions", s.decisions());
        fields.put("wallSeconds", RunFields.rounded(s.wallSeconds(), 3));
        fields.put("cpuSeconds", RunFields.rounded(s.cpuSeconds(), 3));
        fields.put("eventsPerSecond", RunFields.rounded(s.eventsPerSecond(), 0));
        fields.put("microsPerDecision", RunFields.rounded(s.microsPerDecision(), 3));
        fields.put("peakHeapMib", RunFields.rounded(s.peakHeapMib(), 1));
        fields.put("firstTenthMicrosPerEvent", RunFields.rounded(s.firstTenth().microsPerEvent(), 3));
        fields.put("lastTenthMicrosPerEvent", RunFields.rounded(s.lastTenth().microsPerEvent(), 3));
        fields.put("firstTenthLiveJobs", RunFields.rounded(s.firstTenth().liveJobs(), 1));
        fields.put("lastTenthLiveJobs", RunFields.rounded(s.lastTenth().liveJobs(), 1));
        return fields;
    }
}
