package dev.fermata.app.output;

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
 * Bytes that others wrote, on their way to the user: every byte as it is where they go to a pipe or a file, and harmless where they go to a
 * terminal. There, colours are dropped, a carriage return begins a new line, and other control characters are shown as pictures.
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
    private final StringBuilder held = new StringBuilder();
    private byte[] left = {};
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
        out.print(terminal ? harmless(text) : text);
        out.flush();
    }

    /** What was held back because more might come. */
    public void end() {
        if (held.length() > 0) {
            out.print(pictures(held.toString()));
            held.setLength(0);
        }
        out.flush();
    }

    /** A character may begin in one block and end in the next. */
    private String decode(byte[] bytes, int length) {
        ByteBuffer in = ByteBuffer.allocate(left.length + length);
        in.put(left).put(bytes, 0, length).flip();
        CharBuffer chars = CharBuffer.allocate(in.remaining() + 1);
        decoder.decode(in, chars, false);
        left = new byte[in.remaining()];
        in.get(left);
        return chars.flip().toString();
    }

    private String harmless(String text) {
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
            if (held.length() > 0 && !colourGoesOn(c, shown)) {
                continue;
            }
            if (c == ESCAPE) {
                held.append(c);
            } else if (c == '\r') {
                returned = true;
            } else {
                shown.append(c == '\n' || c == '\t' || !Harmless.harmful(c) ? c : Harmless.picture(c));
            }
        }
        return shown.toString();
    }

    /** Takes a character into what may be a colour; answers whether it has to be looked at by itself. */
    private boolean colourGoesOn(char c, StringBuilder shown) {
        boolean first = held.length() == 1;
        if (first ? c == '[' : c == ';' || (c >= '0' && c <= '9')) {
            if (held.length() < LONGEST_COLOUR) {
                held.append(c);
                return false;
            }
        } else if (c == 'm' && !first) {
            held.setLength(0);
            return false;
        }
        shown.append(pictures(held.toString()));
        held.setLength(0);
        return true;
    }

    private static String pictures(String text) {
        return Harmless.line(text);
    }
}
