package dev.fermata.cli.output;

import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.util.List;

/**
 * Lines that stay, and below them a few that are redrawn in place. In a pipe only those that stay are written.
 *
 * <p>Belongs to one thread.
 */
public final class LiveDisplay implements AutoCloseable {
    private static final String LINE_UP = "\u001b[A";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_SCREEN = "\u001b[J";

    private final PrintWriter out;
    private final Screen screen;
    private List<String> shown = List.of();

    public LiveDisplay(PrintWriter out, Screen screen) {
        this.out = out;
        this.screen = screen;
    }

    /** A line that stays. */
    public void print(String line) {
        List<String> below = shown;
        erase();
        out.println(line);
        draw(below);
    }

    /** Replaces the lines below. */
    public void update(List<String> lines) {
        if (!screen.terminal()) {
            return;
        }
        StringBuilder text = new StringBuilder(LINE_UP.repeat(shown.size())).append('\r');
        for (String line : lines) {
            text.append(line).append(REST_OF_LINE).append('\n');
        }
        out.print(text.append(REST_OF_SCREEN));
        out.flush();
        shown = List.copyOf(lines);
    }

    private void erase() {
        if (!shown.isEmpty()) {
            out.print(LINE_UP.repeat(shown.size()) + "\r" + REST_OF_SCREEN);
            shown = List.of();
        }
    }

    private void draw(List<String> lines) {
        if (!lines.isEmpty()) {
            update(lines);
        }
        out.flush();
    }

    /** Erases the redrawn lines. */
    @Override
    public void close() {
        erase();
        out.flush();
    }
}
