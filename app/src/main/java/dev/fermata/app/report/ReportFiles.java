package dev.fermata.app.report;

import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.figure.Figures;
import dev.fermata.app.report.figure.Sensitivity;
import dev.fermata.app.report.html.ExperimentPage;
import dev.fermata.app.report.html.Origin;
import dev.fermata.app.report.html.Preface;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.PngCanvas;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes a report: the page, and beside it its figures as CSV and its pictures as PNG, all named after the page. */
public final class ReportFiles {
    private static final String HTML = ".html";
    private static final String CSV = ".csv";
    private static final String PNG = ".png";

    private final Comparison comparison;
    private final String page;
    private final Preface preface;

    /** @param page the file of the page, as the user named it */
    public ReportFiles(Comparison comparison, String page, Preface preface) {
        this.comparison = comparison;
        this.page = page;
        this.preface = preface;
    }

    /**
     * Answers what could not be written, in words, if anything: a report without pictures is better than none.
     *
     * @param remarks what was said about the workload when it was read
     */
    public Optional<String> write(WholeFile file, Origin origin, List<String> remarks) {
        Path given = Path.of(page);
        boolean device = Files.exists(given) && !Files.isRegularFile(given);
        file.write(new ExperimentPage(comparison, origin, remarks, preface).html());
        if (device) {
            return Optional.empty(); // nothing can stand beside it
        }
        new ReportTables(comparison).all().forEach(this::table);
        Optional<String> problem = PngCanvas.problem();
        if (problem.isEmpty()) {
            pictures().forEach(this::picture);
        }
        return problem.map(why -> "no PNG was written: " + why);
    }

    private void table(String name, List<Map<String, Object>> records) {
        try (WholeFile file = WholeFile.open(beside(name + CSV))) {
            PrintWriter out = new PrintWriter(file.writer());
            Structured.write(Format.CSV, records, out);
            if (out.checkError()) {
                throw file.failed(new IOException("the disk may be full"));
            }
            file.commit();
        }
    }

    private void picture(String name, Plot plot) {
        try (WholeFile file = WholeFile.open(beside(name + PNG))) {
            try {
                PngCanvas.write(plot, file.stream());
            } catch (IOException e) {
                throw file.failed(e);
            }
            file.commit();
        }
    }

    /** The pictures by name; where something was varied, its value is part of the name. */
    private Map<String, Plot> pictures() {
        Map<String, Plot> pictures = new LinkedHashMap<>();
        preface.plots().forEach(plot -> pictures.put(plot.name(), plot));
        Sensitivity.of(comparison).forEach(plot -> pictures.put(plot.name(), plot));
        for (Comparison.Group panel : comparison.groups()) {
            Figures figures = new Figures(comparison, panel);
            List<Plot> plots = new ArrayList<>(figures.distributions());
            plots.addAll(figures.series());
            plots.addAll(figures.gantts());
            plots.addAll(figures.waits());
            plots.addAll(figures.pauses());
            String value = panel.variation().replaceAll("[^A-Za-z0-9.]+", "-");
            plots.forEach(plot -> pictures.put(plot.name() + (value.isEmpty() ? "" : "-" + value), plot));
        }
        return pictures;
    }

    private String beside(String name) {
        return stem(page) + name;
    }

    private static String stem(String page) {
        return (page.endsWith(HTML) ? page.substring(0, page.length() - HTML.length()) : page) + "-";
    }

    /** Whether a report writes this file beside its page, or might: which pictures there are shows only in the end. */
    public static boolean writesBeside(Path page, Path file) {
        String stem = stem(page.toString());
        if (!file.toString().startsWith(stem)) {
            return false;
        }
        String name = file.toString().substring(stem.length());
        return name.endsWith(PNG) || ReportTables.NAMES.stream().anyMatch(table -> name.equals(table + CSV));
    }
}
