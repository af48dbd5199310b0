package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Humane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Entries of the preemption ledger in sentences. */
final class PreemptionWords {
    private PreemptionWords() {}

    /** One sentence about what an entry meant for this job. */
    static String of(JsonNode entry, long job, Instant now) {
        String ago = JobView.ago(entry, "at", now);
        if (JobView.text(entry, "outcome").equals("DECLINED")) {
            return ago + " pausing " + Humane.amount(entry.path("victimCount").asLong(), "job")
                    + " for it was not worth it: cost " + time(entry, "expectedCostSeconds") + ", gain "
                    + time(entry, "expectedGainSeconds")
                    + (known(entry, "waitedSeconds") ? "; it waited " + time(entry, "waitedSeconds") + " more" : "");
        }
        for (JsonNode victim : entry.path("victims")) {
            if (victim.path("job").asLong() == job) {
                return ago + " " + paused(entry, victim);
            }
        }
        List<String> victims = new ArrayList<>();
        entry.path("victims").forEach(v -> victims.add(job(v)));
        return ago + " " + String.join(", ", victims) + (victims.size() == 1 ? " was" : " were") + " paused for it"
                + (known(entry, "waitedSeconds") ? ": it started " + time(entry, "waitedSeconds") + " later" : "")
                + balance(entry);
    }

    private static String paused(JsonNode entry, JsonNode victim) {
        boolean move = JobView.text(entry, "outcome").equals("MOVED");
        List<String> parts = new ArrayList<>();
        part(parts, "away", victim, "awaySeconds");
        part(parts, "to leave", victim, "pauseSeconds");
        if (victim.path("reloadSeconds").asDouble() > 0) {
            part(parts, "to load again", victim, "reloadSeconds");
        }
        JsonNode reload = victim.path("reload");
        part(parts, "of that to start", reload, "startSeconds");
        part(parts, "to build", reload, "buildSeconds");
        part(parts, "to restore", reload, "restoreSeconds");
        part(parts, "to warm up", reload, "warmupSeconds");
        if (victim.path("lostSeconds").asDouble() > 0) {
            part(parts, "lost", victim, "lostSeconds");
        }
        return (move ? "moved to other GPUs" : "paused for " + job(entry.path("beneficiary")))
                + (parts.isEmpty() ? "" : ": " + String.join(", ", parts))
                + balance(entry);
    }

    private static void part(List<String> parts, String what, JsonNode from, String field) {
        if (known(from, field)) {
            parts.add(what + " " + time(from, field));
        }
    }

    /** What the whole decision came to. */
    private static String balance(JsonNode entry) {
        String cost = "cost " + time(entry, "costSeconds");
        return switch (JobView.text(entry, "outcome")) {
            case "PAID" -> "; " + cost + ", gain " + time(entry, "gainSeconds") + ": it paid";
            case "NOT_PAID" -> "; " + cost + ", gain " + time(entry, "gainSeconds") + ": it did not pay";
            case "MOVED" -> "";
            default ->
                "; " + cost + " so far"
                        + (known(entry, "expectedGainSeconds")
                                ? ", gain expected " + time(entry, "expectedGainSeconds")
                                : "");
        };
    }

    /** One sentence about the sum of all. */
    static String summary(JsonNode total) {
        long decisions = total.path("preemptions").asLong();
        long settled = total.path("paid").asLong() + total.path("notPaid").asLong();
        String declined = total.path("declined").asLong() > 0
                ? " " + Humane.amount(total.path("declined").asLong(), "pause") + " refused as not worth it."
                : "";
        if (decisions == 0) {
            return declined.strip();
        }
        return Humane.amount(decisions, "decision") + " paused "
                + Humane.amount(total.path("pauses").asLong(), "job") + ", which lost "
                + time(total, "costSeconds") + " of completion time and " + time(total, "gpuSeconds")
                + " of GPU-time; of " + settled + " that are settled "
                + total.path("paid").asLong()
                + " paid, and saved " + time(total, "gainSeconds") + " at most." + declined;
    }

    /** Number and name. */
    static String job(JsonNode party) {
        String name = JobView.text(party, "name");
        return "job " + JobView.text(party, "job") + (name.isEmpty() ? "" : " (" + name + ")");
    }

    static boolean known(JsonNode from, String field) {
        return from.path(field).isNumber();
    }

    static String time(JsonNode from, String field) {
        return known(from, field) ? Humane.time(from.path(field).asDouble()) : "–";
    }
}
