package dev.fermata.cli.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** A terminal in full-screen mode: alternate screen, single keys, size. Closing restores it. */
final class FullScreenTerminal implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_PAGE = "\u001b[J";
    private static final int DEFAULT_ROWS = 24;
    private static final int DEFAULT_COLUMNS = 80;
    private static final int MIN = 20;

    /** Lines and columns. */
    record TerminalSize(int rows, int columns) {}

    private final PrintWriter out;
    private final String savedSettings;

    private FullScreenTerminal(PrintWriter out, String before) {
        this.out = out;
        this.savedSettings = before;
    }

    static FullScreenTerminal open(PrintWriter out, IntConsumer keys) {
        FullScreenTerminal terminal = new FullScreenTerminal(out, stty("-g"));
        stty("-icanon -echo min 1");
        out.print(ENTER);
        out.flush();
        Thread reader = new Thread(() -> read(keys), "keys");
        reader.setDaemon(true);
        reader.start();
        return terminal;
    }

    private static void read(IntConsumer keys) {
        InputStream in = System.in;
        try {
            for (int key = in.read(); key >= 0; key = in.read()) {
                keys.accept(key);
            }
        } catch (IOException e) {
            // No more keys: Ctrl-C remains.
        }
    }

    /** Replaces the screen without flicker. */
    void draw(Iterable<String> lines) {
        StringBuilder page = new StringBuilder(HOME);
        int[] drawn = {0};
        int rows = size().rows();
        lines.forEach(line -> {
            if (drawn[0]++ < rows) {
                page.append(drawn[0] == 1 ? "" : "\r\n").append(line).append(REST_OF_LINE);
            }
        });
        out.print(page.append(REST_OF_PAGE));
        out.flush();
    }

    /** Asked again each time: windows change. */
    TerminalSize size() {
        String[] words = stty("size").split(" ", -1);
        try {
            return new TerminalSize(
                    Math.max(MIN / 2, parseOr(words[0], DEFAULT_ROWS)),
                    Math.max(MIN, parseOr(words[1], DEFAULT_COLUMNS)));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return new TerminalSize(DEFAULT_ROWS, DEFAULT_COLUMNS);
        }
    }

    /** A terminal without a known size reports 0. */
    private static int parseOr(String text, int usual) {
        int size = Integer.parseInt(text);
        return size == 0 ? usual : size;
    }

    @Override
    public void close() {
        out.print(LEAVE);
        out.flush();
        if (!savedSettings.isEmpty()) {
            stty(savedSettings);
        }
    }

    private static String stty(String arguments) {
        try {
            Process stty = new ProcessBuilder("sh", "-c", "stty " + arguments + " </dev/tty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return stty.waitFor(1, TimeUnit.SECONDS) && stty.exitValue() == 0 ? answer : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
