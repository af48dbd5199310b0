package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What would come of a job, for those who ask before they submit. */
final class Prospects {
    private final Verb verb;

    Prospects(Verb verb) {
        this.verb = verb;
    }

    int tell(JsonNode answer) {
        boolean feasible = answer.path("feasible").asBoolean();
        if (!verb.forPeople()) {
            verb.write(answer);
        } else {
            words(answer, feasible);
        }
        return feasible ? ExitCode.FINE : ExitCode.INVALID;
    }

    private void words(JsonNode answer, boolean feasible) {
        String message = JobView.text(answer, "message");
        List<String> gpus = new ArrayList<>();
        answer.path("gpus").forEach(gpu -> gpus.add(gpu.asText()));
        if (!feasible) {
            verb.say("It could never start here: " + message);
        } else if (answer.path("startsNow").asBoolean()) {
            verb.say("It would start at once on GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus) + ".");
        } else if (!answer.path("pauses").isEmpty()) {
            verb.say("It would start on GPU" + (gpus.size() == 1 ? " " : "s ") + String.join(",", gpus)
                    + " as soon as these have paused:");
            for (JsonNode victim : answer.path("pauses")) {
                verb.say("  job " + JobView.text(victim, "job") + " (" + JobView.text(victim, "name") + ", "
                        + JobView.text(victim, "user") + "), "
                        + Humane.amount(victim.path("gpus").asLong(), "GPU"));
            }
            if (answer.path("costSeconds").asDouble() > 0) {
                verb.say("That would cost "
                        + Humane.time(answer.path("costSeconds").asDouble()) + " of completion time and gain "
                        + Humane.time(answer.path("gainSeconds").asDouble()) + ".");
            }
        } else {
            verb.say("It would wait: " + JobView.text(answer, "reason") + (message.isEmpty() ? "" : ", " + message)
                    + ".");
        }
        JsonNode start = answer.path("expectedStart");
        if (feasible && !answer.path("startsNow").asBoolean()) {
            String when = StartWords.whole(start, Instant.now());
            if (!when.isEmpty()) {
                verb.say("Expected start: " + when + ".");
            }
            String whom = answer.path("pauses").isEmpty() ? StartWords.pauses(start) : "";
            if (!whom.isEmpty()) {
                verb.say("It would pause " + whom + ".");
            }
        }
        verb.say("Nothing was submitted; this is how things are now, not a reservation.");
    }
}
