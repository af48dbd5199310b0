package dev.fermata.app.cli.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** A terminal taken over for a while: its other page, keys as they are pressed, its size. Closing gives it back as it was. */
final class Terminal implements AutoCloseable {
    private static final String TAKE = "\u001b[?1049h\u001b[?25l";
    private static final String GIVE_BACK = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String REST_OF_LINE = "\u001b[K";
    private static final String REST_OF_PAGE = "\u001b[J";
    private static final int USUAL_ROWS = 24;
    private static final int USUAL_COLUMNS = 80;
    private static final int FEWEST = 20;

    /** Lines and columns. */
    record Size(int rows, int columns) {}

    private final PrintWriter out;
    private final String before;

    private Terminal(PrintWriter out, String before) {
        this.out = out;
        this.before = before;
    }

    static Terminal take(PrintWriter out, IntConsumer keys) {
        Terminal terminal = new Terminal(out, stty("-g"));
        stty("-icanon -echo min 1");
        out.print(TAKE);
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

    /** Replaces what is shown, without a moment of nothing in between. */
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

    /** Asked anew each time: windows change. */
    Size size() {
        String[] words = stty("size").split(" ", -1);
        try {
            return new Size(
                    Math.max(FEWEST / 2, known(words[0], USUAL_ROWS)),
                    Math.max(FEWEST, known(words[1], USUAL_COLUMNS)));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return new Size(USUAL_ROWS, USUAL_COLUMNS);
        }
    }

    /** A terminal that nobody told its size says 0. */
    private static int known(String said, int usual) {
        int size = Integer.parseInt(said);
        return size == 0 ? usual : size;
    }

    @Override
    public void close() {
        out.print(GIVE_BACK);
        out.flush();
        if (!before.isEmpty()) {
            stty(before);
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
