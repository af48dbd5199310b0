package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TerminalText;
import dev.fermata.report.text.TextTable;
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
        description = "Show everything about a job: its request, where it is, its attempts and how they ended.",
        footer = {"", "Examples:", "  fermata describe 12", "  fermata describe 12.2", "  fermata describe 12 -o yaml"})
public final class DescribeCommand extends RemoteCommand {
    private static final int LONGEST_SCRIPT = 20;

    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs, or of one attempt: 12.2.")
    private List<String> ids;

    public DescribeCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        List<JsonNode> jobs = new ArrayList<>();
        for (String id : ids) {
            jobs.add(api.get(JobId.parse(id).path() + "?starts=true"));
        }
        if (!isHumanReadable()) {
            return jobs.size() == 1 ? write(jobs.get(0)) : write(jobs);
        }
        for (int i = 0; i < jobs.size(); i++) {
            if (i > 0) {
                out().println();
            }
            JobText job = new JobText(jobs.get(i));
            JsonNode evidence = evidence(api, job);
            printSummary(job, JobId.parse(ids.get(i)).attempt(), evidence);
        }
        return ExitCode.OK;
    }

    /** What is known of a live job; empty for others. */
    private static JsonNode evidence(DaemonClient api, JobText job) {
        return !job.isEnded() ? api.get(JobId.path(job.id()) + "/explain").path("evidence") : MissingNode.getInstance();
    }

    private static String profileText(JsonNode evidence) {
        return evidence.path("beingProfiled").asBoolean() ? "is being profiled, as the first job of its profile" : "";
    }

    /** The remaining time and the source of that estimate; empty for a job that does not run. */
    private static String remainingText(JsonNode evidence) {
        return evidence.path("remainingSeconds").isNumber()
                ? HumanFormat.time(evidence.path("remainingSeconds").asDouble()) + ", nine times of ten less than "
                        + HumanFormat.time(evidence.path("remainingP90Seconds").asDouble()) + " ("
                        + JobText.text(evidence, "remainingSource").toLowerCase(Locale.ROOT) + ")"
                : "";
    }

    private void printSummary(JobText job, int attempt, JsonNode evidence) {
        Instant now = Instant.now();
        JsonNode json = job.json();
        String reason = job.reasonText();
        out().println(screen().bold(job.title() + " is " + job.stateText()));
        printLine("why", reason);
        printLine("predicted", PredictedStartText.sentence(json.path("predictedStart"), now));
        printLine("progress", job.progress());
        printLine("remaining", remainingText(evidence));
        printLine("profile", profileText(evidence));
        printLine("a pause", PauseText.of(evidence));
        printLine("user", job.text("user"));
        printLine("queue", job.text("queue"));
        printLine(
                "class",
                job.text("class") + (json.path("onHold").asBoolean() ? ", on hold: fermata release " + job.id() : ""));
        printLine(
                "GPUs",
                job.text("gpus") + (json.path("gpuIds").isEmpty() ? "" : ", now on " + numbers(json.path("gpuIds"))));
        printLine("priority", job.text("priority").equals("0") ? "" : job.text("priority"));
        printLine(
                "array",
                json.path("arrayId").isNumber() && json.path("arrayId").asLong() >= 0
                        ? job.text("arrayId") + ", index " + job.text("arrayIndex")
                        : "");
        printLine("submitted", JobText.ago(json, "submitted", now));
        printLine("waited", HumanFormat.time(json.path("waitSeconds").asDouble()));
        printLine(
                "ran",
                job.runTime()
                        + (json.path("preemptions").asInt() > 0
                                ? ", paused "
                                        + HumanFormat.amount(
                                                json.path("preemptions").asLong(), "time")
                                : ""));
        printLine("ended", job.isEnded() ? JobText.ago(json, "finished", now) : "");
        printSpec(json.path("spec"));
        printRuns(json.path("attempts"), attempt, now);
        json.path("preemptionLog").forEach(entry -> printLine("pauses", PreemptionText.of(entry, job.id(), now)));
        out().println();
        printWrapped(
                job.isEnded()
                        ? "Its output: fermata logs " + job.id()
                        : "Its output: fermata logs -f " + job.id() + "   Why it is there: fermata explain "
                                + job.id());
    }

    private void printSpec(JsonNode spec) {
        if (!spec.isObject()) {
            return;
        }
        printLine("folder", JobText.text(spec, "workdir"));
        printLine("limit", JobText.text(spec, "limit"));
        List<String> variables = new ArrayList<>();
        for (Map.Entry<String, JsonNode> variable : spec.path("env").properties()) {
            // The search paths that went with it by themselves are long and no news.
            if (!SubmitCommand.SEARCH_PATHS.contains(variable.getKey())) {
                variables.add(TerminalText.escape(
                        variable.getKey() + "=" + variable.getValue().asText()));
            }
        }
        printLine("env", String.join(" ", variables));
        List<String> script = spec.path("run").asText().lines().toList();
        if (script.size() <= 1) {
            printLine("run", TerminalText.escape(String.join("", script)));
            return;
        }
        printLine("run", "a script of " + script.size() + " lines");
        script.stream().limit(LONGEST_SCRIPT).forEach(text -> out().println("    " + TerminalText.escape(text)));
        if (script.size() > LONGEST_SCRIPT) {
            out().println("    … (the rest with -o yaml)");
        }
    }

    private void printRuns(JsonNode runs, int attempt, Instant now) {
        if (runs.isEmpty()) {
            return;
        }
        out().println();
        TextTable table = new TextTable()
                .numberColumn("attempt", TextTable.ALWAYS)
                .textColumn("GPUs", 5)
                .textColumn("engine id", 2)
                .textColumn("started")
                .numberColumn("load", 3)
                .numberColumn("useful", 4)
                .numberColumn("lost", 3)
                .textColumn("outcome")
                .textColumn("detail", 6);
        for (JsonNode run : runs) {
            if (attempt > 0 && run.path("attempt").asInt() != attempt) {
                continue;
            }
            String outcome = JobText.text(run, "outcome");
            table.row(
                    JobText.text(run, "attempt"),
                    numbers(run.path("gpuIds")),
                    JobText.text(run, "externalId"),
                    JobText.ago(run, "started", now),
                    seconds(run, "loadSeconds"),
                    seconds(run, "usefulSeconds"),
                    seconds(run, "lostSeconds"),
                    outcome.isEmpty() ? "on GPUs" : outcome,
                    endText(run));
        }
        printTable(table);
    }

    private static String endText(JsonNode run) {
        List<String> words = new ArrayList<>();
        if (run.path("exitCode").isNumber()) {
            words.add("exit code " + JobText.text(run, "exitCode"));
        }
        if (run.path("signal").asInt() > 0) {
            words.add("signal " + JobText.text(run, "signal"));
        }
        if (run.path("beneficiary").asLong(-1) >= 0 && run.path("beneficiary").isNumber()) {
            words.add("paused for job " + JobText.text(run, "beneficiary"));
        }
        String detail = JobText.text(run, "detail");
        if (!detail.isEmpty()) {
            words.add(detail);
        }
        return String.join(", ", words);
    }

    private static String seconds(JsonNode run, String field) {
        return run.path(field).asDouble() > 0 ? HumanFormat.time(run.path(field).asDouble()) : "–";
    }

    private static String numbers(JsonNode list) {
        return String.join(
                ",",
                StreamSupport.stream(list.spliterator(), false)
                        .map(JsonNode::asText)
                        .toList());
    }

    private void printLine(String label, String text) {
        if (!text.isEmpty()) {
            printWrapped("  " + String.format("%-10s", label) + text);
        }
    }
}
