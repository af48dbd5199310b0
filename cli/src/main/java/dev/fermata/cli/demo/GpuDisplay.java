package dev.fermata.cli.demo;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** The GPUs with their jobs, and the pending jobs, as lines of a screen. */
final class GpuDisplay {
    private static final int BAR = 24;
    private static final int NAME = 10;

    private GpuDisplay() {}

    static List<String> render(Collection<ObservedJob> jobs, int gpus, String title, Screen screen) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(screen.bold(truncate(title, screen)));
        for (int gpu = 0; gpu < gpus; gpu++) {
            lines.add(truncate(gpu(gpu, jobs), screen));
        }
        List<String> waiting = jobs.stream()
                .filter(observed -> observed.state.equals("PENDING"))
                .map(observed -> observed.pauses == 0
                        ? observed.name()
                        : observed.name() + " (paused at step " + HumanFormat.count(observed.step) + ")")
                .toList();
        lines.add(truncate("waiting: " + (waiting.isEmpty() ? "no job" : String.join(", ", waiting)), screen));
        return lines;
    }

    private static String gpu(int gpu, Collection<ObservedJob> jobs) {
        String label = String.format(Locale.ROOT, "GPU %-3d", gpu);
        for (ObservedJob observed : jobs) {
            if (observed.gpu == gpu) {
                return label
                        + String.format(Locale.ROOT, "%-" + NAME + "s ", observed.name())
                        + bar(observed)
                        + progressText(observed);
            }
        }
        return label + "–";
    }

    private static String bar(ObservedJob observed) {
        int filled = (int) (BAR * Math.min(1.0, (double) observed.step / observed.job.steps()));
        return "█".repeat(filled) + "░".repeat(BAR - filled);
    }

    private static String progressText(ObservedJob observed) {
        if (observed.state.equals("PREEMPTING")) {
            return "  saving …";
        }
        String loss = Double.isNaN(observed.loss) ? "" : String.format(Locale.ROOT, "  loss %.4f", observed.loss);
        return String.format(Locale.ROOT, "  step %4d of %-4d", observed.step, observed.job.steps()) + loss;
    }

    private static String truncate(String line, Screen screen) {
        return line.length() < screen.columns() ? line : line.substring(0, screen.columns() - 2) + "…";
    }
}
