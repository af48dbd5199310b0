package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The daemon at a glance, as lines of a screen: GPUs, running jobs with their progress, pending jobs with their reasons.
 *
 * @param jobs those that have not ended
 */
record TopView(String address, JsonNode diag, List<JsonNode> nodes, List<JsonNode> jobs) {
    private static final int BAR = 10;
    private static final int MIN_LINES = 8;

    /** @param rows lines of the screen; what does not fit is counted, not shown */
    List<String> lines(Screen screen, int rows, Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add(screen.bold(truncate(title(), screen)));
        String problem = JobText.text(diag, "problem");
        if (!problem.isEmpty()) {
            lines.add(truncate("trouble: " + problem, screen));
        }
        gpus(lines, screen);
        List<JobText> running = new ArrayList<>();
        List<JobText> waiting = new ArrayList<>();
        jobs.stream()
                .map(JobText::new)
                .sorted(Comparator.comparingLong(JobText::id))
                .forEach(job -> (job.state().equals("PENDING") ? waiting : running).add(job));
        int room = Math.max(MIN_LINES, rows - lines.size() - 1);
        int forWaiting = Math.min(waiting.size() + 3, room / 2);
        int forRunning = Math.max(room - forWaiting, 4);
        section(lines, "Running", running, running(running, screen, now), forRunning, screen);
        int left = Math.max(4, rows - lines.size() - 1);
        section(lines, "Waiting", waiting, waiting(waiting, screen, now), left, screen);
        if (running.isEmpty() && waiting.isEmpty()) {
            lines.add("");
            lines.add("No jobs. Submit one: fermata submit --gpus 1 -- python train.py");
        }
        return lines;
    }

    private String title() {
        return "Fermata at " + address + "  " + JobText.text(diag, "phase")
                + (diag.path("shadow").asBoolean() ? " (shadow)" : "")
                + "  policy " + JobText.text(diag, "policy")
                + "  up " + HumanFormat.time(diag.path("uptimeSeconds").asDouble());
    }

    private void gpus(List<String> lines, Screen screen) {
        int all = 0;
        int busy = 0;
        List<String> rows = new ArrayList<>();
        for (JsonNode node : nodes) {
            if (NodeSummary.of(node).isGone()) {
                continue;
            }
            StringBuilder row =
                    new StringBuilder("  ").append(JobText.text(node, "name")).append(' ');
            if (!NodesCommand.state(node).equals("up")) {
                row.append('(').append(NodesCommand.state(node)).append(") ");
            }
            for (JsonNode gpu : node.path("gpus")) {
                all += gpu.path("missing").asBoolean() && gpu.path("jobs").isEmpty() ? 0 : 1;
                busy += gpu.path("jobs").isEmpty() ? 0 : 1;
                row.append('[').append(occupant(gpu)).append(']');
            }
            rows.add(row.toString());
        }
        lines.add(truncate("GPUs: " + busy + " of " + all + " busy", screen));
        rows.stream().limit(MIN_LINES).forEach(row -> lines.add(truncate(row, screen)));
        if (rows.size() > MIN_LINES) {
            lines.add("  … and " + HumanFormat.amount(rows.size() - MIN_LINES, "node") + " more");
        }
    }

    /** The number of the job on it, a plus for several, an arrow for one that is awaited; a question mark: missing. */
    private static String occupant(JsonNode gpu) {
        JsonNode on = gpu.path("jobs");
        if (!on.isEmpty()) {
            return on.get(0).asText() + (on.size() > 1 ? "+" : "");
        }
        JsonNode reserved = gpu.path("reservedFor");
        if (reserved.isNumber() && reserved.asLong() >= 0) {
            return "→" + reserved.asText();
        }
        if (gpu.path("missing").asBoolean()) {
            return "?";
        }
        return gpu.path("up").asBoolean(true) ? "·" : "x";
    }

    private static void section(
            List<String> lines, String title, List<JobText> jobs, List<String> table, int room, Screen screen) {
        if (jobs.isEmpty()) {
            return;
        }
        lines.add("");
        lines.add(screen.bold(title + " " + jobs.size()));
        int fit = Math.max(2, room - 2);
        if (table.size() <= fit) {
            lines.addAll(table);
        } else {
            lines.addAll(table.subList(0, fit - 1));
            lines.add("… more: fermata ls");
        }
    }

    private static List<String> running(List<JobText> jobs, Screen screen, Instant now) {
        TextTable table = new TextTable()
                .numberColumn("id", TextTable.ALWAYS)
                .textColumn("name")
                .textColumn("user", 3)
                .numberColumn("GPUs", TextTable.ALWAYS)
                .textColumn("state")
                .numberColumn("for", TextTable.ALWAYS)
                .textColumn("progress");
        for (JobText job : jobs) {
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("gpus"),
                    job.stateText(),
                    job.age(now),
                    bar(job) + job.progress());
        }
        return table.render(screen);
    }

    private static String bar(JobText job) {
        if (!job.json().path("progress").path("fraction").isNumber()) {
            return "";
        }
        double share = job.json().path("progress").path("fraction").asDouble();
        int filled = (int) (share * BAR);
        return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] ";
    }

    private static List<String> waiting(List<JobText> jobs, Screen screen, Instant now) {
        TextTable table = new TextTable()
                .numberColumn("id", TextTable.ALWAYS)
                .textColumn("name")
                .textColumn("user", 3)
                .numberColumn("GPUs", TextTable.ALWAYS)
                .numberColumn("for", TextTable.ALWAYS)
                .numberColumn("starts in", 4)
                .textColumn("why");
        for (JobText job : jobs) {
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("gpus"),
                    job.age(now),
                    PredictedStartText.p50(job.json().path("predictedStart"), now),
                    (job.isPaused() ? "PAUSED; " : "") + job.reasonText());
        }
        return table.render(screen);
    }

    private static String truncate(String line, Screen screen) {
        return line.length() <= screen.columns() ? line : line.substring(0, screen.columns() - 1) + "…";
    }
}
