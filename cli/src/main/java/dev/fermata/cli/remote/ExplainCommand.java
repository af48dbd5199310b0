package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.contract.Count;
import dev.fermata.insight.exit.ExitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata explain}: why a job waits or runs. */
@Command(
        name = "explain",
        description = "Show why a job waits (one reason, the numbers behind it, what would let it start, its predicted"
                + " start), or where it is.",
        footer = {"", "Examples:", "  fermata explain 12", "  fermata explain 12 -o json"})
public final class ExplainCommand extends RemoteCommand {
    private static final int MAX_BLOCKING = 5;

    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> ids;

    public ExplainCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        List<JsonNode> answers = new ArrayList<>();
        for (String id : ids) {
            answers.add(api.get(JobId.path(JobId.parseJob(id)) + "/explain"));
        }
        if (!isHumanReadable()) {
            return answers.size() == 1 ? write(answers.get(0)) : write(answers);
        }
        for (int i = 0; i < answers.size(); i++) {
            if (i > 0) {
                out().println();
            }
            print(answers.get(i));
        }
        return ExitCode.OK;
    }

    private void print(JsonNode answer) {
        String state = JobText.text(answer, "state");
        String reason = JobText.text(answer, "reason");
        out().println(screen().bold("Job " + JobText.text(answer, "job") + " is " + state
                + (reason.isEmpty() || reason.equals(state) ? "" : ": " + reason)));
        printLine("", JobText.text(answer, "message"));
        List<String> evidence = new ArrayList<>();
        answer.path("evidence").properties().forEach(e -> evidence.add(EvidenceText.of(e.getKey(), e.getValue())));
        printLine("evidence", String.join(", ", evidence));
        printLine("would start", JobText.text(answer, "unblockedBy"));
        Instant now = Instant.now();
        printLine("in the way", blockedBy(answer.path("blockedBy"), now));
        if (answer.path("position").asInt() > 0) {
            printLine("position", JobText.text(answer, "position") + " of the waiting jobs by submission");
        }
        answer.path("preemptions")
                .forEach(entry -> printLine(
                        "pauses", PreemptionText.of(entry, answer.path("job").asLong(), now)));
        JsonNode start = answer.path("predictedStart");
        printLine("predicted", PredictedStartText.sentence(start, Instant.now()));
        printLine("would pause", PredictedStartText.victimsText(start));
    }

    /** Such as {@code job 12 of ann (2 GPUs, ends in 40s–3m), job 9 of ben (1 GPU, is saving)}. */
    private static String blockedBy(JsonNode jobs, Instant now) {
        List<String> texts = new ArrayList<>();
        for (JsonNode job : jobs) {
            String gpus = Count.of(job.path("gpus").asInt(), "GPU");
            texts.add("job " + JobText.text(job, "job") + " of " + JobText.text(job, "user") + " (" + gpus + ", "
                    + expectedEnd(job, now) + ")");
        }
        int shown = Math.min(MAX_BLOCKING, texts.size());
        return String.join(", ", texts.subList(0, shown))
                + (shown < texts.size() ? " and " + Count.of(texts.size() - shown, "more job") : "");
    }

    private static String expectedEnd(JsonNode job, Instant now) {
        String state = JobText.text(job, "state");
        JsonNode end = job.path("expectedEnd");
        Optional<Instant> p50 = JobText.time(end, "p50");
        Optional<Instant> p90 = JobText.time(end, "p90");
        if (p50.isPresent() && p90.isPresent()) {
            return "ends in " + JobText.span(now, p50.get()) + "–" + JobText.span(now, p90.get());
        }
        return state.equals("PREEMPTING") ? "is saving" : state.equals("PENDING") ? "waits itself" : "end unknown";
    }

    private void printLine(String label, String text) {
        if (!text.isEmpty()) {
            printWrapped("  " + (label.isEmpty() ? "" : String.format("%-13s", label)) + text);
        }
    }
}
