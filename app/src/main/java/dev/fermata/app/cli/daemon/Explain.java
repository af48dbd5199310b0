package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.ExitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata explain}: why a job is where it is. */
@Command(
        name = "explain",
        description =
                "Say why a job waits (one reason, the numbers behind it, what would let it start, when it is expected to), or where it is.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata explain 12", "  fermata explain 12 -o json"})
final class Explain extends Verb {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> ids;

    Explain(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        List<JsonNode> answers = new ArrayList<>();
        for (String id : ids) {
            answers.add(door.get(JobId.path(JobId.whole(id)) + "/explain"));
        }
        if (!forPeople()) {
            return answers.size() == 1 ? write(answers.get(0)) : write(answers);
        }
        for (int i = 0; i < answers.size(); i++) {
            if (i > 0) {
                out().println();
            }
            tell(answers.get(i));
        }
        return ExitCode.FINE;
    }

    private void tell(JsonNode answer) {
        String state = JobView.text(answer, "state");
        String reason = JobView.text(answer, "reason");
        out().println(screen().strong("Job " + JobView.text(answer, "job") + " is " + state
                + (reason.isEmpty() || reason.equals(state) ? "" : ": " + reason)));
        line("", JobView.text(answer, "message"));
        List<String> evidence = new ArrayList<>();
        answer.path("evidence").properties().forEach(e -> evidence.add(EvidenceWords.of(e.getKey(), e.getValue())));
        line("evidence", String.join(", ", evidence));
        line("would start", JobView.text(answer, "unblockedBy"));
        if (answer.path("position").asInt() > 0) {
            line("position", JobView.text(answer, "position") + " among the jobs that wait");
        }
        Instant now = Instant.now();
        answer.path("preemptions")
                .forEach(entry -> line(
                        "pauses", PreemptionWords.of(entry, answer.path("job").asLong(), now)));
        JsonNode start = answer.path("expectedStart");
        line("expected", StartWords.whole(start, Instant.now()));
        line("would pause", StartWords.pauses(start));
    }

    private void line(String label, String text) {
        if (!text.isEmpty()) {
            say("  " + (label.isEmpty() ? "" : String.format("%-13s", label)) + text);
        }
    }
}
