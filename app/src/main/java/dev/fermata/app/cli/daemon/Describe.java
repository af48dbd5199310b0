package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Harmless;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata describe}: everything about a job. */
@Command(
        name = "describe",
        description =
                "Show everything about a job: what was asked for, where it is, its attempts, what became of them.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata describe 12", "  fermata describe 12.2", "  fermata describe 12 -o yaml"})
final class Describe extends Verb {
    private static final int LONGEST_SCRIPT = 20;

    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs, or of one attempt: 12.2.")
    private List<String> ids;

    Describe(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        List<JsonNode> jobs = new ArrayList<>();
        for (String id : ids) {
            jobs.add(door.get(JobId.parse(id).path() + "?starts=true"));
        }
        if (!forPeople()) {
            return jobs.size() == 1 ? write(jobs.get(0)) : write(jobs);
        }
        for (int i = 0; i < jobs.size(); i++) {
            if (i > 0) {
                out().println();
            }
            JobView job = new JobView(jobs.get(i));
            JsonNode evidence = evidence(door, job);
            sheet(job, JobId.parse(ids.get(i)).attempt(), remaining(evidence), profiled(evidence));
        }
        return ExitCode.FINE;
    }

    /** What is said about a job that runs; nothing about others. */
    private static JsonNode evidence(Door door, JobView job) {
        return job.state().equals("RUNNING")
                ? door.get(JobId.path(job.id()) + "/explain").path("evidence")
                : MissingNode.getInstance();
    }

    private static String profiled(JsonNode evidence) {
        return evidence.path("beingProfiled").asBoolean() ? "is being profiled, the first of its kind" : "";
    }

    /** How long it will still run, and what that rests on; empty when it does not run. */
    private static String remaining(JsonNode evidence) {
        return evidence.path("remainingSeconds").isNumber()
                ? Humane.time(evidence.path("remainingSeconds").asDouble()) + ", nine times of ten less than "
                        + Humane.time(evidence.path("remainingP90Seconds").asDouble()) + " ("
                        + JobView.text(evidence, "remainingSource").toLowerCase(Locale.ROOT) + ")"
                : "";
    }

    private void sheet(JobView job, int attempt, String remaining, String profiled) {
        Instant now = Instant.now();
        JsonNode json = job.json();
        String reason = job.remark();
        out().println(screen().strong(job.title() + " is " + job.state()));
        line("why", reason);
        line("expected", StartWords.whole(json.path("expectedStart"), now));
        line("progress", job.progress());
        line("remaining", remaining);
        line("profile", profiled);
        line("user", job.text("user"));
        line("queue", job.text("queue"));
        line(
                "class",
                job.text("class") + (json.path("onHold").asBoolean() ? ", on hold: fermata release " + job.id() : ""));
        line(
                "GPUs",
                job.text("gpus") + (json.path("gpuIds").isEmpty() ? "" : ", now on " + numbers(json.path("gpuIds"))));
        line("priority", job.text("priority").equals("0") ? "" : job.text("priority"));
        line(
                "array",
                json.path("arrayId").isNumber() && json.path("arrayId").asLong() >= 0
                        ? job.text("arrayId") + ", index " + job.text("arrayIndex")
                        : "");
        line("submitted", JobView.ago(json, "submitted", now));
        line("waited", Humane.time(json.path("waitSeconds").asDouble()));
        line(
                "ran",
                job.runTime()
                        + (json.path("preemptions").asInt() > 0
                                ? ", paused "
                                        + Humane.amount(json.path("preemptions").asLong(), "time")
                                : ""));
        line("ended", job.ended() ? JobView.ago(json, "finished", now) : "");
        spec(json.path("spec"));
        runs(json.path("runs"), attempt, now);
        json.path("preemptionLedger").forEach(entry -> line("pauses", PreemptionWords.of(entry, job.id(), now)));
        out().println();
        say(
                job.ended()
                        ? "Its output: fermata logs " + job.id()
                        : "Its output: fermata logs -f " + job.id() + "   Why it is there: fermata explain "
                                + job.id());
    }

    private void spec(JsonNode spec) {
        if (!spec.isObject()) {
            return;
        }
        line("folder", JobView.text(spec, "workdir"));
        line("limit", JobView.text(spec, "limit"));
        List<String> variables = new ArrayList<>();
        for (Map.Entry<String, JsonNode> variable : spec.path("env").properties()) {
            // The search paths that went with it by themselves are long and no news.
            if (!Submit.SEARCH_PATHS.contains(variable.getKey())) {
                variables.add(Harmless.line(
                        variable.getKey() + "=" + variable.getValue().asText()));
            }
        }
        line("env", String.join(" ", variables));
        List<String> script = spec.path("run").asText().lines().toList();
        if (script.size() <= 1) {
            line("run", Harmless.line(String.join("", script)));
            return;
        }
        line("run", "a script of " + script.size() + " lines");
        script.stream().limit(LONGEST_SCRIPT).forEach(text -> out().println("    " + Harmless.line(text)));
        if (script.size() > LONGEST_SCRIPT) {
            out().println("    … (the rest with -o yaml)");
        }
    }

    private void runs(JsonNode runs, int attempt, Instant now) {
        if (runs.isEmpty()) {
            return;
        }
        out().println();
        Table table = new Table()
                .numbers("attempt", Table.ALWAYS)
                .words("GPUs", 5)
                .words("started")
                .numbers("load", 3)
                .numbers("useful", 4)
                .numbers("lost", 3)
                .words("outcome")
                .words("detail", 6);
        for (JsonNode run : runs) {
            if (attempt > 0 && run.path("attempt").asInt() != attempt) {
                continue;
            }
            String outcome = JobView.text(run, "outcome");
            table.row(
                    JobView.text(run, "attempt"),
                    numbers(run.path("gpuIds")),
                    JobView.ago(run, "started", now),
                    seconds(run, "loadSeconds"),
                    seconds(run, "usefulSeconds"),
                    seconds(run, "lostSeconds"),
                    outcome.isEmpty() ? "on GPUs" : outcome,
                    ending(run));
        }
        show(table);
    }

    private static String ending(JsonNode run) {
        List<String> words = new ArrayList<>();
        if (run.path("exitCode").isNumber()) {
            words.add("exit code " + JobView.text(run, "exitCode"));
        }
        if (run.path("signal").asInt() > 0) {
            words.add("signal " + JobView.text(run, "signal"));
        }
        if (run.path("beneficiary").asLong(-1) >= 0 && run.path("beneficiary").isNumber()) {
            words.add("paused for job " + JobView.text(run, "beneficiary"));
        }
        String detail = JobView.text(run, "detail");
        if (!detail.isEmpty()) {
            words.add(detail);
        }
        return String.join(", ", words);
    }

    private static String seconds(JsonNode run, String field) {
        return run.path(field).asDouble() > 0 ? Humane.time(run.path(field).asDouble()) : "–";
    }

    private static String numbers(JsonNode list) {
        return String.join(
                ",",
                StreamSupport.stream(list.spliterator(), false)
                        .map(JsonNode::asText)
                        .toList());
    }

    private void line(String label, String text) {
        if (!text.isEmpty()) {
            say("  " + String.format("%-10s", label) + text);
        }
    }
}
