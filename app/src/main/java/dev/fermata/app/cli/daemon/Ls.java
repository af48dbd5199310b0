package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.Suggest;
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
        description = "List jobs: those that wait and run, newest first; ended ones with --all or --ended.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata ls",
            "  fermata ls --ended --limit 20",
            "  fermata ls --wide",
            "  fermata ls --state pending --queue research -o json",
            "  fermata cancel $(fermata ls --name sweep -o id)"
        })
final class Ls extends Verb {
    /** For shell completion: all states, and the API's two words for several of them. */
    static final class States extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        States() {
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
            completionCandidates = States.class,
            description = "Only jobs in these states, joined by commas: ${COMPLETION-CANDIDATES}.")
    private @Nullable List<String> states;

    @Mixin
    private JobFilter filter;

    @Option(names = "--array", paramLabel = "ID", description = "Only jobs of the array whose first job this is.")
    private @Nullable String array;

    @Option(
            names = {"-w", "--wide"},
            description = "More columns, as with -o wide: when each is expected to start, among others.")
    private boolean wide;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    Ls(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (limit < 1) {
            throw Complaint.invalid("--limit (" + limit + ") must be at least 1");
        }
        Query query = filter.in(Query.to("jobs")
                        .and("state", stateQuestion())
                        .and("reasons", "true")
                        .and("starts", wide() ? "true" : ""))
                .and("array", array == null ? "" : String.valueOf(JobId.whole(array)));
        Door.Listing found = door.list(query.toString(), limit);
        if (output.onlyIds()) {
            found.items().forEach(job -> out().println(job.path("id").asLong()));
            return ExitCode.FINE;
        }
        if (!forPeople()) {
            return write(found.items());
        }
        if (found.items().isEmpty()) {
            nothing();
            return ExitCode.FINE;
        }
        table(found.items());
        if (found.more()) {
            say("", "There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.FINE;
    }

    private void table(List<JsonNode> jobs) {
        boolean more = wide();
        Table table = new Table()
                .numbers("id", Table.ALWAYS)
                .words("name")
                .words("user", 4)
                .words("queue", 2)
                .words("class", 3)
                .numbers("GPUs", Table.ALWAYS)
                .words("state")
                .numbers("for", Table.ALWAYS)
                .numbers("attempt", 1);
        if (more) {
            table.numbers("expected start", Table.ALWAYS)
                    .numbers("priority", Table.ALWAYS)
                    .words("submitted")
                    .numbers("waited", Table.ALWAYS)
                    .numbers("ran", Table.ALWAYS)
                    .numbers("preemptions", Table.ALWAYS)
                    .words("GPU ids");
        }
        table.words("progress", 6).words("why");
        Instant now = Instant.now();
        for (JsonNode json : jobs) {
            JobView job = new JobView(json);
            List<String> cells = new ArrayList<>(List.of(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("queue"),
                    job.text("class"),
                    job.text("gpus"),
                    job.state(),
                    job.age(now),
                    job.attempt() > 0 ? String.valueOf(job.attempt()) : "–"));
            if (more) {
                cells.addAll(List.of(
                        StartWords.brief(json.path("expectedStart"), now),
                        job.text("priority"),
                        job.text("submitted"),
                        Humane.time(json.path("waitSeconds").asDouble()),
                        job.runTime(),
                        job.text("preemptions"),
                        job.gpuIds()));
            }
            cells.addAll(List.of(job.progress(), job.remark()));
            table.row(cells.toArray(String[]::new));
        }
        show(table);
    }

    private boolean wide() {
        return wide || (!output.onlyIds() && output.format() == Format.WIDE);
    }

    private void nothing() {
        boolean filtered = states != null || filter.given() || array != null;
        if (filtered) {
            say("No job is like that." + (all || ended || states != null ? "" : " Ended ones are shown with --all."));
        } else if (ended) {
            say("No job has ended yet.");
        } else {
            say(
                    "No job waits or runs." + (all ? "" : " Those that ended: fermata ls --all."),
                    "Submit one: fermata submit --gpus 1 -- python train.py");
        }
    }

    private String stateQuestion() {
        if (states == null) {
            return ended ? "ended" : all ? "" : "live";
        }
        List<String> known = new States();
        List<String> wanted = new ArrayList<>();
        for (String state : states) {
            String word = state.strip().toLowerCase(Locale.ROOT);
            if (!known.contains(word)) {
                throw Complaint.invalid("--state (" + state + ") is unknown." + Suggest.among(word, known));
            }
            wanted.add(word.toUpperCase(Locale.ROOT));
        }
        return String.join(",", wanted);
    }
}
