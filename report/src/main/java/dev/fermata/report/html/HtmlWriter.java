package dev.fermata.report.html;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Writes HTML that is well-formed XML as well. Elements are closed in order, attributes quoted, and all text escaped,
 * so that nothing a user typed can become markup.
 */
public final class HtmlWriter {
    /** Elements that never have content. */
    private static final Set<String> EMPTY = Set.of("br", "hr", "meta", "col");
    /** Elements that go on in the line they stand in: a line break around them would show as a space. */
    private static final Set<String> INLINE = Set.of("a", "b", "code", "em", "i", "small", "span", "strong", "title");

    private final StringBuilder out = new StringBuilder("<!DOCTYPE html>");
    private final Deque<String> open = new ArrayDeque<>();

    /** @param attributes names and values alternately; one with an empty value is left out */
    public HtmlWriter open(String tag, String... attributes) {
        begin(tag, attributes);
        out.append('>');
        open.push(tag);
        return this;
    }

    public HtmlWriter close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    public HtmlWriter text(String text) {
        escape(text);
        return this;
    }

    /** An element that holds text and nothing else. */
    public HtmlWriter leaf(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** An element without content. */
    public HtmlWriter empty(String tag, String... attributes) {
        if (EMPTY.contains(tag)) {
            begin(tag, attributes);
            out.append("/>");
            return this;
        }
        return open(tag, attributes).close();
    }

    /** A style sheet of ours. Browsers do not unescape it, so it must do without the letters that XML needs escaped. */
    public HtmlWriter style(String css) {
        return raw("style", css);
    }

    /** A program of ours, under the same condition. */
    public HtmlWriter script(String program) {
        return raw("script", program);
    }

    private HtmlWriter raw(String tag, String text) {
        if (text.indexOf('<') >= 0 || text.indexOf('&') >= 0) {
            throw new IllegalArgumentException("a " + tag + " must not contain < or &");
        }
        begin(tag);
        out.append(">\n").append(text).append("</").append(tag).append('>');
        return this;
    }

    /** The page, once everything is closed. */
    public String finish() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not closed: " + open);
        }
        return out.append('\n').toString();
    }

    private void begin(String tag, String... attributes) {
        if (!INLINE.contains(tag)) {
            out.append('\n');
        }
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            if (!attributes[i + 1].isEmpty()) {
                out.append(' ').append(attributes[i]).append("=\"");
                escape(attributes[i + 1]);
                out.append('"');
            }
        }
    }

    private void escape(String text) {
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(allowed(c) ? c : 0xFFFD);
            }
        });
    }

    /** Control characters and halves of characters have no place in a page. */
    private static boolean allowed(int c) {
        boolean control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
        boolean half = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        return !control && !half && c != 0xFFFE && c != 0xFFFF;
    }
}
