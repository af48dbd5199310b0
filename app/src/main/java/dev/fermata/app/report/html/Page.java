package dev.fermata.app.report.html;

import dev.fermata.app.report.plot.Ink;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** What all reports share: head, style sheet, table of contents, and where it came from. */
final class Page {
    /** A part of the page that the table of contents leads to. */
    record Part(String id, String name, List<Part> parts) {
        Part(String id, String name) {
            this(id, name, List.of());
        }
    }

    private static final String STYLE = "report.css";
    private static final String PROGRAM = "report.js";

    private Page() {}

    /** A page to read. */
    static String write(String title, List<Part> contents, Origin origin, Consumer<Html> body) {
        return write(title, contents, origin, false, body);
    }

    /** @param lively whether there are drawings to zoom into, which takes a program in the page */
    static String write(String title, List<Part> contents, Origin origin, boolean lively, Consumer<Html> body) {
        Html html = new Html().open("html", "lang", "en").open("head");
        html.empty("meta", "charset", "utf-8");
        html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        html.empty("meta", "name", "color-scheme", "content", "light dark");
        html.text("\n")
                .leaf("title", title)
                .style(resource(STYLE) + Ink.styleSheet())
                .close();
        html.open("body");
        html.open("nav", "aria-label", "Contents").leaf("h2", "Contents");
        list(html, contents);
        html.close();
        html.open("main");
        body.accept(html);
        footer(html, origin);
        html.close();
        if (lively) {
            html.script(resource(PROGRAM));
        }
        return html.close().close().finish();
    }

    private static void list(Html html, List<Part> parts) {
        html.open("ul");
        for (Part part : parts) {
            html.open("li").leaf("a", part.name(), "href", "#" + part.id());
            if (!part.parts().isEmpty()) {
                list(html, part.parts());
            }
            html.close();
        }
        html.close();
    }

    private static void footer(Html html, Origin origin) {
        html.open("footer").open("dl");
        html.leaf("dt", "Command").open("dd").leaf("code", origin.command()).close();
        html.leaf("dt", "Version").leaf("dd", origin.version());
        html.leaf("dt", "Seeds").leaf("dd", origin.seeds());
        html.close().close();
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
