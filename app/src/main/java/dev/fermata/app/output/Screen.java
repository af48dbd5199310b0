package dev.fermata.app.output;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the output goes to: a terminal of some width, with or without colour, or a pipe (not narrow, no colour). */
public record Screen(boolean terminal, boolean colour, int columns) {
    public static final Screen PIPE = new Screen(false, false, Integer.MAX_VALUE);
    private static final int USUAL_COLUMNS = 80;
    private static final int NARROWEST = 40;

    public static Screen detect(Map<String, String> environment) {
        if (!isTerminal()) {
            return PIPE;
        }
        boolean colour = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
        return new Screen(true, colour, columns(environment.getOrDefault("COLUMNS", "")));
    }

    /** The same for what is asked for whole, however wide. */
    public Screen unlimited() {
        return new Screen(terminal, colour, Integer.MAX_VALUE);
    }

    public String best(String text) {
        return colour ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    public String strong(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String faint(String text) {
        return colour ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    /** From Java 22 on there is a console even without a terminal, and a method to ask. */
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
        String text = said.isEmpty() ? askTerminal() : said;
        try {
            return Math.max(NARROWEST, Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            return USUAL_COLUMNS;
        }
    }

    /** Java cannot tell the width of a terminal; {@code stty} can. */
    private static String askTerminal() {
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
