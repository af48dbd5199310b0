package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata ls}: the jobs. */
@Command(
        name = "ls",
        aliases = {"queue", "ps"},
        description = "List pending and running jobs, newest first; ended ones with --all or --ended.",
        footer = {
            "",
            "Examples:",
            "  fermata ls",
            "  fermata ls --ended --limit 20",
            "  fermata ls --wide",
            "  fermata ls --state pending --queue research -o json",
            "  fermata cancel $(fermata ls --name sweep -o id)"
        })
public final class LsCommand extends RemoteCommand {
    /** For shell completion: all states, and the API's two words for several of them. */
    static final class StateNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        StateNames() {
            super(List.of("live", "ended"));
            for (JobState state : JobState.values()) {
                add(state.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    @Option(
            names = {"-a", "--all"},
            description = "Ended jobs too.")
    private boolean all;

    @Option(names = "--ended", description = "Only ended jobs.")
    private boolean ended;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            split = ",",
            completionCandidates = StateNames.class,
            description = "Only jobs in these states, joined by commas: ${COMPLETION-CANDIDATES}.")
    private @Nullable List<String> states;

    @Mixin
    private JobFilter filter;

    @Option(names = "--array", paramLabel = "ID", description = "Only jobs of the array whose first job this is.")
    private @Nullable String array;

    @Option(
            names = {"-w", "--wide"},
            description = "More columns, as with -o wide: predicted starts, among others.")
    private boolean wide;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    public LsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (limit < 1) {
            throw UserError.invalid("--limit (" + limit + ") must be at least 1");
        }
        ApiQuery query = filter.addTo(ApiQuery.to("jobs")
                        .and("state", stateQuery())
                        .and("reasons", "true")
                        .and("starts", wide() ? "true" : ""))
                .and("array", array == null ? "" : String.valueOf(JobId.parseJob(array)));
        DaemonClient.Listing found = api.list(query.toString(), limit);
        if (output.onlyIds()) {
            found.items().forEach(job -> out().println(job.path("id").asLong()));
            return ExitCode.OK;
        }
        if (!isHumanReadable()) {
            return write(found.items());
        }
        if (found.items().isEmpty()) {
            printNothingFound();
            return ExitCode.OK;
        }
        printTable(found.items());
        if (found.more()) {
            printWrapped("", "There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.OK;
    }

    private void printTable(List<JsonNode> jobs) {
        boolean more = wide();
        TextTable table = new TextTable()
                .numberColumn("id", TextTable.ALWAYS)
                .textColumn("name")
                .textColumn("user", 4)
                .textColumn("queue", 2)
                .textColumn("class", 3)
                .numberColumn("GPUs", TextTable.ALWAYS)
                .textColumn("state")
                .numberColumn("for", TextTable.ALWAYS)
                .numberColumn("attempt", 1);
        if (more) {
            table.numberColumn("predicted start", TextTable.ALWAYS)
                    .numberColumn("priority", TextTable.ALWAYS)
                    .textColumn("submitted")
                    .numberColumn("waited", TextTable.ALWAYS)
                    .numberColumn("ran", TextTable.ALWAYS)
                    .numberColumn("preemptions", TextTable.ALWAYS)
                    .textColumn("GPU ids");
        }
        table.textColumn("progress", 6).textColumn("why");
        Instant now = Instant.now();
        for (JsonNode json : jobs) {
            JobText job = new JobText(json);
            List<String> cells = new ArrayList<>(List.of(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("queue"),
                    job.text("class"),
                    job.text("gpus"),
                    job.stateText(),
                    job.age(now),
                    job.attempt() > 0 ? String.valueOf(job.attempt()) : "–"));
            if (more) {
                cells.addAll(List.of(
                        PredictedStartText.range(json.path("predictedStart"), now),
                        job.text("priority"),
                        job.text("submitted"),
                        HumanFormat.time(json.path("waitSeconds").asDouble()),
                        job.runTime(),
                        job.text("preemptions"),
                        job.gpuIds()));
            }
            cells.addAll(List.of(job.progress(), job.reasonText()));
            table.row(cells.toArray(String[]::new));
        }
        printTable(table);
    }

    private boolean wide() {
        return wide || (!output.onlyIds() && output.format() == OutputFormat.WIDE);
    }

    private void printNothingFound() {
        boolean filtered = states != null || filter.isSet() || array != null;
        if (filtered) {
            printWrapped(
                    "No job matches." + (all || ended || states != null ? "" : " Ended ones are shown with --all."));
        } else if (ended) {
            printWrapped("No job has ended yet.");
        } else {
            printWrapped(
                    "No job waits or runs." + (all ? "" : " Those that ended: fermata ls --all."),
                    "Submit one: fermata submit --gpus 1 -- python train.py");
        }
    }

    private String stateQuery() {
        if (states == null) {
            return ended ? "ended" : all ? "" : "live";
        }
        List<String> known = new StateNames();
        List<String> wanted = new ArrayList<>();
        for (String state : states) {
            String word = state.strip().toLowerCase(Locale.ROOT);
            if (!known.contains(word)) {
                throw UserError.invalid("--state (" + state + ") is unknown." + Suggestion.didYouMean(word, known));
            }
            wanted.add(word.toUpperCase(Locale.ROOT));
        }
        return String.join(",", wanted);
    }
}
