package dev.fermata.app.cli;

import dev.fermata.app.bench.FidelityTrial;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.StatusLine;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.replay.ReplayOutput;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Suggest;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench fidelity}: real processes under a real daemon, and the same in the simulator. */
@Command(
        name = "fidelity",
        description =
                "Real jobs on pretended GPUs under a daemon made up for it, then the same history in the simulator: how far apart they are.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench fidelity --workload trials --jobs 40 --seconds 30"})
final class BenchFidelity implements Callable<Integer> {
    private static final String ALL = "all";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "trials, gangs, bursts or all (default: ${DEFAULT-VALUE}).")
    private String workload;

    @Option(
            names = "--policy",
            paramLabel = "P",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description = "The policy that decides (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(names = "--jobs", paramLabel = "N", defaultValue = "120", description = "Jobs (default: ${DEFAULT-VALUE}).")
    private int jobs;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "150",
            description = "They arrive within this time (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Which jobs (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--keep",
            paramLabel = "FOLDER",
            description = "Write the histories there as NAME.json, for fermata replay --events.")
    private @Nullable Path keep;

    @Mixin
    private OutputOptions output;

    BenchFidelity(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws InterruptedException {
        Format format = output.format();
        List<String> names = names();
        PolicySpec decides = Complaint.ifInvalid(() -> PolicySpec.parse(policy));
        if (jobs < 10 || jobs > 10_000 || seconds < 1 || seconds > 86_400) {
            throw Complaint.invalid(
                    "--jobs (" + jobs + ") must be from 10 to 10000, --seconds (" + seconds + ") from 1 to 86400");
        }
        List<FidelityTrial.Outcome> outcomes = new ArrayList<>();
        for (String name : names) {
            outcomes.add(run(name, decides.text()));
        }
        print(outcomes, format);
        return ExitCode.FINE;
    }

    private List<String> names() {
        if (workload.equals(ALL)) {
            return FidelityTrial.workloads();
        }
        if (!FidelityTrial.workloads().contains(workload)) {
            throw Complaint.invalid(
                    "--workload (" + workload + ") is unknown." + Suggest.among(workload, FidelityTrial.workloads()));
        }
        return List.of(workload);
    }

    private FidelityTrial.Outcome run(String name, String decides) throws InterruptedException {
        AtomicReference<String> line = new AtomicReference<>(name);
        try (StatusLine status =
                new StatusLine(spec.commandLine().getErr(), surroundings.screen(), output.quiet, line::get)) {
            status.start();
            Path folder = Files.createTempDirectory("fermata-fidelity");
            try {
                return FidelityTrial.run(
                        folder,
                        keep == null ? null : Files.createDirectories(keep).resolve(name + ".json"),
                        name,
                        decides,
                        seed,
                        jobs,
                        seconds,
                        surroundings.interruption(),
                        (submitted, ended) -> line.set(
                                name + ": " + submitted + " of " + jobs + " jobs submitted, " + ended + " ended"));
            } finally {
                BenchDaemon.remove(folder);
            }
        } catch (IOException e) {
            throw Complaint.failed(String.valueOf(e.getMessage()), e);
        }
    }

    private void print(List<FidelityTrial.Outcome> outcomes, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(
                    format, outcomes.stream().map(BenchFidelity::fields).toList(), out);
            return;
        }
        for (FidelityTrial.Outcome outcome : outcomes) {
            out.println(outcome.workload() + ": " + Humane.amount(outcome.real().jobs(), "job") + " under "
                    + outcome.policy() + ", seed " + seed + "; half of them complete within "
                    + Humane.percent(outcome.fidelity().medianJobError()) + " of the time they really took");
            ReplayOutput.table(outcome.fidelity().sheet(outcome.policy()))
                    .render(surroundings.screen())
                    .forEach(out::println);
            Table table = new Table()
                    .words("estimator")
                    .numbers("mean JCT,\nfrom nothing", Table.ALWAYS)
                    .numbers("against\noracle", Table.ALWAYS)
                    .numbers("second half,\ntaught by the first", Table.ALWAYS)
                    .numbers("against\noracle", Table.ALWAYS);
            outcome.fromNothing()
                    .forEach((name, mean) -> table.row(
                            name,
                            Humane.number(mean) + "s",
                            againstOracle(outcome.fromNothing(), name),
                            Humane.number(outcome.taught().getOrDefault(name, 0.0)) + "s",
                            againstOracle(outcome.taught(), name)));
            out.println();
            table.render(surroundings.screen()).forEach(out::println);
            out.println();
        }
        out.flush();
    }

    private static Map<String, Object> fields(FidelityTrial.Outcome outcome) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("workload", outcome.workload());
        fields.put("policy", outcome.policy());
        fields.put("jobs", outcome.real().jobs());
        fields.put("preemptions", outcome.real().summary().preemptions());
        fields.put(
                "fidelity",
                outcome.fidelity().lines().stream().map(ReplayOutput::fields).toList());
        fields.put("medianJobError", RunFields.rounded(outcome.fidelity().medianJobError(), 6));
        fields.put("holds", outcome.fidelity().holds());
        fields.put("meanJctSecondsByEstimator", seconds(outcome.fromNothing()));
        fields.put("meanJctSecondsTaughtByFirstHalf", seconds(outcome.taught()));
        return fields;
    }

    private static Map<String, Object> seconds(Map<String, Double> means) {
        Map<String, Object> fields = new LinkedHashMap<>();
        means.forEach((name, mean) -> fields.put(name, RunFields.rounded(mean, 3)));
        return fields;
    }

    private static String againstOracle(Map<String, Double> means, String name) {
        return Humane.change(means.getOrDefault(name, 0.0) / means.getOrDefault("oracle", 1.0) - 1);
    }
}
