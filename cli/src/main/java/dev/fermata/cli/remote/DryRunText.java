package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The result of a dry run: where and when a job would start. */
final class DryRunText {
    private final RemoteCommand command;

    DryRunText(RemoteCommand command) {
        this.command = command;
    }

    int print(JsonNode answer) {
        boolean feasible = answer.path("feasible").asBoolean();
        if (!command.isHumanReadable()) {
            command.write(answer);
        } else {
            printText(answer, feasible);
        }
        return feasible ? ExitCode.OK : ExitCode.INVALID;
    }

    private void printText(JsonNode answer, boolean feasible) {
        String message = JobText.text(answer, "message");
        List<String> gpus = new ArrayList<>();
        answer.path("gpus").forEach(gpu -> gpus.add(gpu.asText()));
        if (!feasible) {
            command.printWrapped("It could never start here: " + message);
        } else if (answer.path("startsNow").asBoolean()) {
            command.printWrapped(
                    "It would start at once on GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus) + ".");
        } else if (!answer.path("victims").isEmpty()) {
            command.printWrapped("It would start on GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus)
                    + " as soon as these have paused:");
            for (JsonNode victim : answer.path("victims")) {
                command.printWrapped("  job " + JobText.text(victim, "job") + " (" + JobText.text(victim, "name") + ", "
                        + JobText.text(victim, "user") + "), "
                        + HumanFormat.amount(victim.path("gpus").asLong(), "GPU"));
            }
            if (answer.path("costSeconds").asDouble() > 0) {
                command.printWrapped("That would cost "
                        + HumanFormat.time(answer.path("costSeconds").asDouble()) + " of completion time and gain "
                        + HumanFormat.time(answer.path("gainSeconds").asDouble()) + ".");
            }
        } else {
            command.printWrapped("It would wait: " + JobText.text(answer, "reason")
                    + (message.isEmpty() ? "" : ", " + message) + ".");
        }
        JsonNode start = answer.path("predictedStart");
        if (feasible && !answer.path("startsNow").asBoolean()) {
            String when = PredictedStartText.sentence(start, Instant.now());
            if (!when.isEmpty()) {
                command.printWrapped("Predicted start: " + when + ".");
            }
            String victims = answer.path("victims").isEmpty() ? PredictedStartText.victimsText(start) : "";
            if (!victims.isEmpty()) {
                command.printWrapped("It would pause " + victims + ".");
            }
        }
        command.printWrapped("Nothing was submitted; this is how things are now, not a reservation.");
    }
}
