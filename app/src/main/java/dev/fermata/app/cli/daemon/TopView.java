package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The daemon at a glance, as lines of a screen: GPUs, who runs and how far they are, who waits and why.
 *
 * @param jobs those that have not ended
 */
record TopView(String address, JsonNode diag, List<JsonNode> nodes, List<JsonNode> jobs) {
    private static final int BAR = 10;
    private static final int FEWEST_LINES = 8;

    /** @param rows lines of the screen; what does not fit is counted, not shown */
    List<String> lines(Screen screen, int rows, Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add(screen.strong(cut(title(), screen)));
        String trouble = JobView.text(diag, "trouble");
        if (!trouble.isEmpty()) {
            lines.add(cut("trouble: " + trouble, screen));
        }
        gpus(lines, screen);
        List<JobView> running = new ArrayList<>();
        List<JobView> waiting = new ArrayList<>();
        jobs.stream()
                .map(JobView::new)
                .sorted(Comparator.comparingLong(JobView::id))
                .forEach(job -> (job.state().equals("PENDING") ? waiting : running).add(job));
        int room = Math.max(FEWEST_LINES, rows - lines.size() - 1);
        int forWaiting = Math.min(waiting.size() + 3, room / 2);
        int forRunning = Math.max(room - forWaiting, 4);
        section(lines, "Running", running, running(running, screen, now), forRunning, screen);
        int left = Math.max(4, rows - lines.size() - 1);
        section(lines, "Waiting", waiting, waiting(waiting, screen, now), left, screen);
        if (running.isEmpty() && waiting.isEmpty()) {
            lines.add("");
            lines.add("Nothing to do. Submit something: fermata submit --gpus 1 -- python train.py");
        }
        return lines;
    }

    private String title() {
        return "Fermata at " + address + "  " + JobView.text(diag, "phase")
                + (diag.path("shadow").asBoolean() ? " (shadow)" : "")
                + "  policy " + JobView.text(diag, "policy")
                + "  up " + Humane.time(diag.path("uptimeSeconds").asDouble());
    }

    private void gpus(List<String> lines, Screen screen) {
        int all = 0;
        int busy = 0;
        List<String> rows = new ArrayList<>();
        for (JsonNode node : nodes) {
            StringBuilder row =
                    new StringBuilder("  ").append(JobView.text(node, "name")).append(' ');
            if (!Nodes.state(node).equals("up")) {
                row.append('(').append(Nodes.state(node)).append(") ");
            }
            for (JsonNode gpu : node.path("gpus")) {
                all++;
                busy += gpu.path("jobs").isEmpty() ? 0 : 1;
                row.append('[').append(occupant(gpu)).append(']');
            }
            rows.add(row.toString());
        }
        lines.add(cut("GPUs: " + busy + " of " + all + " busy", screen));
        rows.stream().limit(FEWEST_LINES).forEach(row -> lines.add(cut(row, screen)));
        if (rows.size() > FEWEST_LINES) {
            lines.add("  … and " + Humane.amount(rows.size() - FEWEST_LINES, "node") + " more");
        }
    }

    /** The number of the job on it, a plus for several, an arrow for one that is awaited. */
    private static String occupant(JsonNode gpu) {
        JsonNode on = gpu.path("jobs");
        if (!on.isEmpty()) {
            return on.get(0).asText() + (on.size() > 1 ? "+" : "");
        }
        JsonNode promised = gpu.path("promisedTo");
        if (promised.isNumber() && promised.asLong() >= 0) {
            return "→" + promised.asText();
        }
        return gpu.path("up").asBoolean(true) ? "·" : "x";
    }

    private static void section(
            List<String> lines, String title, List<JobView> jobs, List<String> table, int room, Screen screen) {
        if (jobs.isEmpty()) {
            return;
        }
        lines.add("");
        lines.add(screen.strong(title + " " + jobs.size()));
        int fit = Math.max(2, room - 2);
        if (table.size() <= fit) {
            lines.addAll(table);
        } else {
            lines.addAll(table.subList(0, fit - 1));
            lines.add("… more: fermata ls");
        }
    }

    private static List<String> running(List<JobView> jobs, Screen screen, Instant now) {
        Table table = new Table()
                .numbers("id", Table.ALWAYS)
                .words("name")
                .words("user", 3)
                .numbers("GPUs", Table.ALWAYS)
                .words("state")
                .numbers("for", Table.ALWAYS)
                .words("progress");
        for (JobView job : jobs) {
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("gpus"),
                    job.state(),
                    job.age(now),
                    bar(job) + job.progress());
        }
        return table.render(screen);
    }

    private static String bar(JobView job) {
        double total = job.json().path("progress").path("total").asDouble();
        if (total <= 0) {
            return "";
        }
        double share = Math.min(1, job.json().path("progress").path("step").asDouble() / total);
        int filled = (int) (share * BAR);
        return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] ";
    }

    private static List<String> waiting(List<JobView> jobs, Screen screen, Instant now) {
        Table table = new Table()
                .numbers("id", Table.ALWAYS)
                .words("name")
                .words("user", 3)
                .numbers("GPUs", Table.ALWAYS)
                .numbers("for", Table.ALWAYS)
                .numbers("starts in", 4)
                .words("why");
        for (JobView job : jobs) {
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("gpus"),
                    job.age(now),
                    StartWords.early(job.json().path("expectedStart"), now),
                    job.remark());
        }
        return table.render(screen);
    }

    private static String cut(String line, Screen screen) {
        return line.length() <= screen.columns() ? line : line.substring(0, screen.columns() - 1) + "…";
    }
}
