package dev.fermata.report.text;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The destination of the output: a terminal of some width, with or without colour, or a pipe. */
public record Screen(boolean terminal, boolean colour, int columns) {
    public static final Screen PIPE = new Screen(false, false, Integer.MAX_VALUE);
    private static final int DEFAULT_COLUMNS = 80;
    private static final int NARROWEST = 40;

    public static Screen detect(Map<String, String> environment) {
        if (!isTerminal()) {
            return PIPE;
        }
        boolean colour = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
        return new Screen(true, colour, columns(environment.getOrDefault("COLUMNS", "")));
    }

    /** The same without a limit on the width. */
    public Screen unlimited() {
        return new Screen(terminal, colour, Integer.MAX_VALUE);
    }

    public String highlight(String text) {
        return colour ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    public String bold(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String dim(String text) {
        return colour ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    /** From Java 22 on there is a console even without a terminal, and a method that says so. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static int columns(String said) {
        String text = said.isEmpty() ? queryTerminal() : said;
        try {
            return Math.max(NARROWEST, Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            return DEFAULT_COLUMNS;
        }
    }

    /** Asks {@code stty}, because Java does not know the width of a terminal. */
    private static String queryTerminal() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            if (!stty.waitFor(1, TimeUnit.SECONDS)) {
                stty.destroy();
            }
            return answer.substring(answer.indexOf(' ') + 1);
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
