package dev.fermata.app.demo;

import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** The GPUs with who is on them, and who waits, as lines of a screen. */
final class Picture {
    private static final int BAR = 24;
    private static final int NAME = 10;

    private Picture() {}

    static List<String> of(Collection<Seen> jobs, int gpus, String title, Screen screen) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(screen.strong(cut(title, screen)));
        for (int gpu = 0; gpu < gpus; gpu++) {
            lines.add(cut(gpu(gpu, jobs), screen));
        }
        List<String> waiting = jobs.stream()
                .filter(seen -> seen.state.equals("PENDING"))
                .map(seen -> seen.pauses == 0
                        ? seen.name()
                        : seen.name() + " (paused at step " + Humane.count(seen.step) + ")")
                .toList();
        lines.add(cut("waiting: " + (waiting.isEmpty() ? "nobody" : String.join(", ", waiting)), screen));
        return lines;
    }

    private static String gpu(int gpu, Collection<Seen> jobs) {
        String label = String.format(Locale.ROOT, "GPU %-3d", gpu);
        for (Seen seen : jobs) {
            if (seen.gpu == gpu) {
                return label + String.format(Locale.ROOT, "%-" + NAME + "s ", seen.name()) + bar(seen) + said(seen);
            }
        }
        return label + "–";
    }

    private static String bar(Seen seen) {
        int filled = (int) (BAR * Math.min(1.0, (double) seen.step / seen.job.steps()));
        return "█".repeat(filled) + "░".repeat(BAR - filled);
    }

    private static String said(Seen seen) {
        if (seen.state.equals("PAUSING")) {
            return "  saving …";
        }
        String loss = Double.isNaN(seen.loss) ? "" : String.format(Locale.ROOT, "  loss %.4f", seen.loss);
        return String.format(Locale.ROOT, "  step %4d of %-4d", seen.step, seen.job.steps()) + loss;
    }

    private static String cut(String line, Screen screen) {
        return line.length() < screen.columns() ? line : line.substring(0, screen.columns() - 2) + "…";
    }
}
