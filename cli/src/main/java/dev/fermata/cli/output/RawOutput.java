package dev.fermata.cli.output;

import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TerminalText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Bytes that others wrote, on their way to the user. A pipe or file gets every byte as it is; a terminal gets control
 * characters escaped. There, colours are dropped, a carriage return begins a new line, and other control characters are
 * shown as pictures.
 */
public final class RawOutput {
    private static final int LONGEST_COLOUR = 24;
    private static final char ESCAPE = 0x1b;

    private final PrintWriter out;
    private final boolean terminal;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final StringBuilder pendingEscape = new StringBuilder();
    private byte[] undecoded = {};
    private boolean returned;

    private RawOutput(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    public static RawOutput to(PrintWriter out, Screen screen) {
        return new RawOutput(out, screen.terminal());
    }

    public void write(byte[] bytes, int length) {
        if (!terminal && out instanceof StandardOutput standard) {
            try {
                OutputStream stream = standard.bytes();
                stream.write(bytes, 0, length);
                stream.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return;
        }
        String text = decode(bytes, length);
        out.print(terminal ? escape(text) : text);
        out.flush();
    }

    /** Writes the characters held back for an unfinished escape sequence. */
    public void end() {
        if (pendingEscape.length() > 0) {
            out.print(symbols(pendingEscape.toString()));
            pendingEscape.setLength(0);
        }
        out.flush();
    }

    /** A character may begin in one block and end in the next. */
    private String decode(byte[] bytes, int length) {
        ByteBuffer in = ByteBuffer.allocate(undecoded.length + length);
        in.put(undecoded).put(bytes, 0, length).flip();
        CharBuffer chars = CharBuffer.allocate(in.remaining() + 1);
        decoder.decode(in, chars, false);
        undecoded = new byte[in.remaining()];
        in.get(undecoded);
        return chars.flip().toString();
    }

    private String escape(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (returned) {
                returned = false;
                if (c == '\n') {
                    shown.append('\n');
                    continue;
                }
                shown.append('\n');
            }
            if (pendingEscape.length() > 0 && !isOutsideColour(c, shown)) {
                continue;
            }
            if (c == ESCAPE) {
                pendingEscape.append(c);
            } else if (c == '\r') {
                returned = true;
            } else {
                shown.append(c == '\n' || c == '\t' || !TerminalText.isControl(c) ? c : TerminalText.symbol(c));
            }
        }
        return shown.toString();
    }

    /** Adds a character to a possible colour sequence; returns whether the character is not part of it. */
    private boolean isOutsideColour(char c, StringBuilder shown) {
        boolean first = pendingEscape.length() == 1;
        if (first ? c == '[' : c == ';' || (c >= '0' && c <= '9')) {
            if (pendingEscape.length() < LONGEST_COLOUR) {
                pendingEscape.append(c);
                return false;
            }
        } else if (c == 'm' && !first) {
            pendingEscape.setLength(0);
            return false;
        }
        shown.append(symbols(pendingEscape.toString()));
        pendingEscape.setLength(0);
        return true;
    }

    private static String symbols(String text) {
        return TerminalText.escape(text);
    }
}
