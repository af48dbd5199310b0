package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata explain}: why a job waits or runs. */
@Command(
        name = "explain",
        description =
                "Show why a job waits (one reason, the numbers behind it, what would let it start, its predicted start), or where it is.",
        footer = {"", "Examples:", "  fermata explain 12", "  fermata explain 12 -o json"})
public final class ExplainCommand extends RemoteCommand {
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
        if (answer.path("position").asInt() > 0) {
            printLine("position", JobText.text(answer, "position") + " among the jobs that wait");
        }
        Instant now = Instant.now();
        answer.path("preemptions")
                .forEach(entry -> printLine(
                        "pauses", PreemptionText.of(entry, answer.path("job").asLong(), now)));
        JsonNode start = answer.path("predictedStart");
        printLine("predicted", PredictedStartText.sentence(start, Instant.now()));
        printLine("would pause", PredictedStartText.victimsText(start));
    }

    private void printLine(String label, String text) {
        if (!text.isEmpty()) {
            printWrapped("  " + (label.isEmpty() ? "" : String.format("%-13s", label)) + text);
        }
    }
}
