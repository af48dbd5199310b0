package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The GPUs of a node in a list of nodes.
 *
 * @param present how many are not missing
 * @param free how many could get a job now
 * @param occupants what is on the others
 */
record NodeSummary(int present, int free, String occupants) {
    static NodeSummary of(JsonNode node) {
        int free = 0;
        int present = 0;
        List<String> busy = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (JsonNode gpu : node.path("gpus")) {
            List<String> jobs = new ArrayList<>();
            gpu.path("jobs").forEach(job -> jobs.add(job.asText()));
            String number = JobText.text(gpu, "gpu");
            boolean isMissing = gpu.path("missing").asBoolean();
            present += isMissing ? 0 : 1;
            if (!jobs.isEmpty()) {
                busy.add(number + (isMissing ? ": missing, job " : ": job ") + String.join("+", jobs));
            } else if (isMissing) {
                missing.add(number);
            } else if (gpu.path("reservedFor").isNumber()
                    && gpu.path("reservedFor").asLong() >= 0) {
                busy.add(number + ": kept for job " + JobText.text(gpu, "reservedFor"));
            } else if (!gpu.path("up").asBoolean(true)) {
                busy.add(number + ": down");
            } else if (!gpu.path("drained").asBoolean()) {
                free++;
            }
        }
        if (!missing.isEmpty() && present + busy.size() > 0) {
            busy.add(String.join("+", missing) + ": missing");
        }
        return new NodeSummary(present, free, String.join(", ", busy));
    }

    /** Whether all its GPUs are missing and none holds a job, as after a move to another machine. */
    boolean isGone() {
        return present == 0 && occupants.isEmpty();
    }
}
