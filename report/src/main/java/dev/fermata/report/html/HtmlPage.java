package dev.fermata.report.html;

import dev.fermata.report.plot.PlotColor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** The frame of all reports: head, style sheet, table of contents, origin. */
public final class HtmlPage {
    /** A part of the page that the table of contents leads to. */
    public record TocEntry(String id, String name, List<TocEntry> parts) {
        public TocEntry(String id, String name) {
            this(id, name, List.of());
        }
    }

    private static final String STYLE = "report.css";
    private static final String SCRIPT = "report.js";

    private HtmlPage() {}

    /** A page to read. */
    public static String write(String title, List<TocEntry> contents, ReportOrigin origin, Consumer<HtmlWriter> body) {
        return write(title, contents, origin, false, body);
    }

    /** @param lively whether there are drawings to zoom into, which takes a program in the page */
    public static String write(
            String title, List<TocEntry> contents, ReportOrigin origin, boolean lively, Consumer<HtmlWriter> body) {
        HtmlWriter html = new HtmlWriter().open("html", "lang", "en").open("head");
        html.empty("meta", "charset", "utf-8");
        html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        html.empty("meta", "name", "color-scheme", "content", "light dark");
        html.text("\n")
                .leaf("title", title)
                .style(resource(STYLE) + PlotColor.styleSheet())
                .close();
        html.open("body");
        html.open("nav", "aria-label", "Contents").leaf("h2", "Contents");
        writeContents(html, contents);
        html.close();
        html.open("main");
        body.accept(html);
        footer(html, origin);
        html.close();
        if (lively) {
            html.script(resource(SCRIPT));
        }
        return html.close().close().finish();
    }

    private static void writeContents(HtmlWriter html, List<TocEntry> parts) {
        html.open("ul");
        for (TocEntry part : parts) {
            html.open("li").leaf("a", part.name(), "href", "#" + part.id());
            if (!part.parts().isEmpty()) {
                writeContents(html, part.parts());
            }
            html.close();
        }
        html.close();
    }

    private static void footer(HtmlWriter html, ReportOrigin origin) {
        html.open("footer").open("dl");
        html.leaf("dt", "Command").open("dd").leaf("code", origin.command()).close();
        html.leaf("dt", "Version").leaf("dd", origin.version());
        html.leaf("dt", "Seeds").leaf("dd", origin.seeds());
        html.close().close();
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(HtmlPage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
