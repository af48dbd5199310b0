package dev.fermata.live.progress;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Splits new output into lines and keeps of each shape the last one: a bar that was drawn a thousand times is one line. The
 * shape of a line is its letters without digits, signs and colours. Costs a look at every byte, and memory for one line.
 */
final class OutputLines {
    static final int MAX_LINE = 400;
    /** More shapes at once are lines about something else. */
    private static final int MAX_SHAPES = 32;

    private static final int ESCAPE = 0x1b;
    private static final int BACKSPACE = 8;

    /** Letters and a few signs count; other bytes map to 0. */
    private static final byte[] SHAPE = new byte[256];

    static {
        for (int c = 'a'; c <= 'z'; c++) {
            SHAPE[c] = (byte) c;
            SHAPE[c - 'a' + 'A'] = (byte) c;
        }
        for (char c : "/%|[]{}".toCharArray()) {
            SHAPE[c] = (byte) c;
        }
    }

    /** One line and the hash of its shape. */
    record Line(long shape, String text) {}

    private final byte[] partial = new byte[MAX_LINE];
    private int partialLength;

    /** A part of the output is missing here: what was begun is no line. */
    void skip() {
        partialLength = 0;
    }

    /** The distinct lines in new output, in the order in which they occurred last. */
    List<Line> split(byte[] bytes, int length) {
        Map<Long, int[]> lastByShape = new LinkedHashMap<>();
        byte[] text = join(bytes, length);
        int end = partialLength + length;
        int start = 0;
        long hash = 0;
        boolean digits = false;
        boolean escape = false;
        for (int i = 0; i < end; i++) {
            int b = text[i] & 0xff;
            if (b == '\n' || b == '\r') {
                if (digits && i > start) {
                    keep(lastByShape, hash, start, i);
                }
                start = i + 1;
                hash = 0;
                digits = false;
                escape = false;
            } else if (b == ESCAPE) {
                escape = true;
            } else if (escape) {
                escape = b == '[' || b == '?' || b == ';' || (b >= '0' && b <= '9');
            } else if (i - start < MAX_LINE) {
                byte shape = SHAPE[b];
                hash = shape == 0 ? hash : hash * 31 + shape;
                digits |= b >= '0' && b <= '9';
            }
        }
        partialLength = Math.min(end - start, MAX_LINE);
        System.arraycopy(text, start, partial, 0, partialLength);
        List<Line> lines = new ArrayList<>(lastByShape.size());
        lastByShape.forEach((shape, at) -> lines.add(new Line(shape, clean(text, at[0], at[1]))));
        return lines;
    }

    private byte[] join(byte[] bytes, int length) {
        if (partialLength == 0) {
            return bytes;
        }
        byte[] all = new byte[partialLength + length];
        System.arraycopy(partial, 0, all, 0, partialLength);
        System.arraycopy(bytes, 0, all, partialLength, length);
        return all;
    }

    private static void keep(Map<Long, int[]> lastByShape, long hash, int start, int end) {
        if (lastByShape.remove(hash) != null || lastByShape.size() < MAX_SHAPES) {
            lastByShape.put(hash, new int[] {start, end});
        }
    }

    /** The text of a line without colours and backspaces. */
    private static String clean(byte[] bytes, int start, int end) {
        byte[] kept = new byte[Math.min(end - start, MAX_LINE)];
        int length = 0;
        boolean escape = false;
        for (int i = start; i < end && length < kept.length; i++) {
            int b = bytes[i] & 0xff;
            if (b == ESCAPE) {
                escape = true;
            } else if (escape) {
                escape = b == '[' || b == '?' || b == ';' || (b >= '0' && b <= '9');
            } else if (b != BACKSPACE) {
                kept[length++] = bytes[i];
            }
        }
        return new String(kept, 0, length, UTF_8);
    }
}
