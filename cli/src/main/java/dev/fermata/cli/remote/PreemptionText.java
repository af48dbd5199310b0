package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Entries of the preemption log in sentences. */
final class PreemptionText {
    private PreemptionText() {}

    /** One sentence about the effect of an entry on this job. */
    static String of(JsonNode entry, long job, Instant now) {
        String ago = JobText.ago(entry, "at", now);
        if (JobText.text(entry, "outcome").equals("DECLINED")) {
            return ago + " pausing "
                    + HumanFormat.amount(entry.path("victimCount").asLong(), "job")
                    + " for it was not worth it: cost " + time(entry, "expectedCostSeconds") + ", gain "
                    + time(entry, "expectedGainSeconds")
                    + (isKnown(entry, "waitedSeconds") ? "; it waited " + time(entry, "waitedSeconds") + " more" : "");
        }
        for (JsonNode victim : entry.path("victims")) {
            if (victim.path("job").asLong() == job) {
                return ago + " " + victimText(entry, victim);
            }
        }
        List<String> victims = new ArrayList<>();
        entry.path("victims").forEach(v -> victims.add(job(v)));
        return ago + " " + String.join(", ", victims) + (victims.size() == 1 ? " was" : " were") + " paused for it"
                + (isKnown(entry, "waitedSeconds") ? ": it started " + time(entry, "waitedSeconds") + " later" : "")
                + balance(entry);
    }

    private static String victimText(JsonNode entry, JsonNode victim) {
        boolean move = JobText.text(entry, "outcome").equals("MOVED");
        List<String> parts = new ArrayList<>();
        addPart(parts, "away", victim, "interruptedSeconds");
        addPart(parts, "to leave", victim, "preemptSeconds");
        if (victim.path("reloadSeconds").asDouble() > 0) {
            addPart(parts, "to load again", victim, "reloadSeconds");
        }
        JsonNode reload = victim.path("reload");
        addPart(parts, "of that to start", reload, "startSeconds");
        addPart(parts, "to build", reload, "buildSeconds");
        addPart(parts, "to restore", reload, "restoreSeconds");
        addPart(parts, "to warm up", reload, "warmupSeconds");
        if (victim.path("lostSeconds").asDouble() > 0) {
            addPart(parts, "lost", victim, "lostSeconds");
        }
        return (move ? "moved to other GPUs" : "paused for " + job(entry.path("beneficiary")))
                + (parts.isEmpty() ? "" : ": " + String.join(", ", parts))
                + balance(entry);
    }

    private static void addPart(List<String> parts, String what, JsonNode from, String field) {
        if (isKnown(from, field)) {
            parts.add(what + " " + time(from, field));
        }
    }

    /** The result of the whole decision. */
    private static String balance(JsonNode entry) {
        String cost = "cost " + time(entry, "costSeconds");
        return switch (JobText.text(entry, "outcome")) {
            case "PAID" -> "; " + cost + ", gain " + time(entry, "gainSeconds") + ": it paid";
            case "NOT_PAID" -> "; " + cost + ", gain " + time(entry, "gainSeconds") + ": it did not pay";
            case "MOVED" -> "";
            default ->
                "; " + cost + " so far"
                        + (isKnown(entry, "expectedGainSeconds")
                                ? ", gain expected " + time(entry, "expectedGainSeconds")
                                : "");
        };
    }

    /** One sentence about the sum of all. */
    static String summary(JsonNode total) {
        long decisions = total.path("preemptions").asLong();
        long settled = total.path("paid").asLong() + total.path("notPaid").asLong();
        String declined = total.path("declined").asLong() > 0
                ? " " + HumanFormat.amount(total.path("declined").asLong(), "pause") + " declined as not worth it."
                : "";
        if (decisions == 0) {
            return declined.strip();
        }
        return HumanFormat.amount(decisions, "decision") + " paused "
                + HumanFormat.amount(total.path("preemptedJobs").asLong(), "job") + ", which lost "
                + time(total, "costSeconds") + " of completion time and " + time(total, "gpuSeconds")
                + " of GPU-time; of " + settled + " that are settled "
                + total.path("paid").asLong()
                + " paid, and saved " + time(total, "gainSeconds") + " at most." + declined;
    }

    /** Number and name. */
    static String job(JsonNode party) {
        String name = JobText.text(party, "name");
        return "job " + JobText.text(party, "job") + (name.isEmpty() ? "" : " (" + name + ")");
    }

    static boolean isKnown(JsonNode from, String field) {
        return from.path(field).isNumber();
    }

    static String time(JsonNode from, String field) {
        return isKnown(from, field) ? HumanFormat.time(from.path(field).asDouble()) : "–";
    }
}
