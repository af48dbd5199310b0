package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;

/** What a pause would cost of a job's work, from the evidence of {@code explain}. */
final class PauseText {
    private PauseText() {}

    /** Empty where it costs none, or is not known. */
    static String of(JsonNode evidence) {
        if (evidence.path("neverPaused").asBoolean()) {
            return "is ruled out: it is never paused for other jobs";
        }
        if (evidence.path("savesOnPause").asBoolean(true)) {
            return "";
        }
        JsonNode atRisk = evidence.path("workAtRiskSeconds");
        return atRisk.isNumber()
                ? "would repeat " + HumanFormat.time(atRisk.asDouble()) + " of work: nothing shows that it saves"
                : "would repeat its work since the start: nothing shows that it saves";
    }
}
