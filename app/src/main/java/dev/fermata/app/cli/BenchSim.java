package dev.fermata.app.cli;

import dev.fermata.app.bench.SimSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.CostsInput;
import dev.fermata.app.input.ModelsInput;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.input.Selection;
import dev.fermata.app.input.Traces;
import dev.fermata.app.input.WorkloadInput;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.Workload;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench sim}: speed of the simulator. */
@Command(
        name = "sim",
        description = {
            "Speed of the simulator: 100,000 jobs on 2,500 GPUs under every policy,",
            "and 1,000,000 jobs on 10,000 GPUs under srtf."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata bench sim --quick", "  fermata bench sim --policies las --jobs 50000"})
final class BenchSim implements Callable<Integer> {
    /** Policies on a workload on a cluster. */
    private record Case(String cluster, String workload, String policies) {}

    private static final String LARGE_POLICY = "srtf";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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

    BenchSim(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        List<SimSpeed> speeds = new ArrayList<>();
        for (Case one : Complaint.ifInvalid(this::cases)) {
            run(one, seedNumber, speeds);
        }
        print(speeds, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted; " + speeds.size() + " runs were done");
        }
        return ExitCode.FINE;
    }

    private List<Case> cases() {
        String all = String.join(",", Catalogue.names());
        if (!quick && policies == null && cluster == null && workload == null && jobs == null) {
            return List.of(
                    new Case("625x4:V100", spec(100_000), all), new Case("1250x8:V100", spec(1_000_000), LARGE_POLICY));
        }
        long count = jobs == null ? (quick ? 10_000 : 100_000) : Quantity.whole("--jobs", jobs, 1, 20_000_000);
        return List.of(new Case(
                cluster == null ? (quick ? "32x8:V100" : "625x4:V100") : cluster,
                workload == null ? spec(count) : workload,
                policies == null ? all : policies));
    }

    private static String spec(long jobs) {
        return "synthetic:jobs=" + jobs + ",load=0.95";
    }

    private void run(Case one, long seedNumber, List<SimSpeed> speeds) {
        List<PolicySpec> chosen = Complaint.ifInvalid(() -> PolicyList.parse(one.policies));
        ClusterInput place = Complaint.ifInvalid(() -> ClusterInput.parse(one.cluster));
        Workload work = Complaint.ifInvalid(() -> WorkloadInput.parse(
                        one.workload,
                        Traces.DETECT,
                        Selection.parse("", "1"),
                        CostsInput.parse("profiles"),
                        ModelsInput.parse(ModelsInput.RULE),
                        new Traces(false))
                .workload(place.topology(), seedNumber));
        for (PolicySpec policy : chosen) {
            if (surroundings.interruption().asked()) {
                return;
            }
            say(policy.text() + ": " + Humane.count(work.jobs().size()) + " jobs on " + one.cluster + " …");
            SimSpeed.warmUp(policy, seedNumber);
            SimSpeed speed = SimSpeed.measure(
                    one.cluster,
                    place.topology(),
                    work,
                    policy,
                    seedNumber,
                    () -> surroundings.interruption().asked());
            if (speed.complete()) {
                speeds.add(speed);
            }
        }
    }

    private void say(String line) {
        if (!output.quiet) {
            spec.commandLine().getErr().println(line);
        }
    }

    private void print(List<SimSpeed> speeds, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, speeds.stream().map(BenchSim::fields).toList(), out);
            return;
        }
        Table table = new Table()
                .words("policy")
                .words("cluster")
                .numbers("jobs", Table.ALWAYS)
                .numbers("events", 3)
                .numbers("decisions", 2)
                .numbers("wall", Table.ALWAYS)
                .numbers("events\nper s", 9)
                .numbers("µs per\ndecision", 8)
                .numbers("peak heap\nMiB", 5)
                .numbers("first tenth:\nµs per event", 7)
                .numbers("live\njobs", 1)
                .numbers("last tenth:\nµs per event", 6)
                .numbers("live\njobs", 1);
        for (SimSpeed s : speeds) {
            table.row(
                    s.policy(),
                    s.cluster(),
                    Humane.count(s.jobs()),
                    Humane.count(s.events()),
                    Humane.count(s.decisions()),
                    Humane.number(s.wallSeconds()) + " s",
                    Humane.count(s.eventsPerSecond()),
                    Humane.number(s.microsPerDecision()),
                    Humane.count(s.peakHeapMib()),
                    Humane.number(s.firstTenth().microsPerEvent()),
                    Humane.count(s.firstTenth().liveJobs()),
                    Humane.number(s.lastTenth().microsPerEvent()),
                    Humane.count(s.lastTenth().liveJobs()));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println("Wall is one run after a warm-up on a small workload. Peak heap counts garbage not collected yet.");
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
