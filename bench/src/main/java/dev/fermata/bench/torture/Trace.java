package dev.fermata.bench.torture;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** What happened in a run, a line each: the last lines, and a digest of all. Equal digests are equal runs. */
final class Trace {
    private static final int KEPT = 60;

    private final VirtualTime time;
    private final Consumer<String> listener;
    private final ArrayDeque<String> tail = new ArrayDeque<>();
    private final MessageDigest digest;
    private long lines;

    Trace(VirtualTime time, Consumer<String> listener) {
        this.time = time;
        this.listener = listener;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    void add(String who, String what) {
        long now = time.nowMillis();
        String line = String.format(Locale.ROOT, "%6d.%03d  %-7s %s", now / 1000, now % 1000, who, what);
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
        lines++;
        tail.addLast(line);
        if (tail.size() > KEPT) {
            tail.removeFirst();
        }
        listener.accept(line);
    }

    long lines() {
        return lines;
    }

    List<String> tail() {
        return List.copyOf(tail);
    }

    /** Of all lines so far; call it once. */
    String digest() {
        return HexFormat.of().formatHex(digest.digest()).substring(0, 16);
    }
}
