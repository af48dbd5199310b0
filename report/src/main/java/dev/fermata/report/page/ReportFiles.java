package dev.fermata.report.page;

import dev.fermata.insight.file.AtomicFile;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.comparison.ComparisonFigures;
import dev.fermata.report.comparison.ReportDatasets;
import dev.fermata.report.comparison.SensitivityFigures;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PngCanvas;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes a report: the page, its figures as CSV and its pictures as PNG in the same folder, all named after the page. */
public final class ReportFiles {
    private static final String HTML = ".html";
    private static final String CSV = ".csv";
    private static final String PNG = ".png";

    private final Comparison comparison;
    private final String page;
    private final PageIntroduction introduction;

    /** @param page the file of the page, as the user named it */
    public ReportFiles(Comparison comparison, String page, PageIntroduction introduction) {
        this.comparison = comparison;
        this.page = page;
        this.introduction = introduction;
    }

    /**
     * Answers what could not be written, in words, if anything: a report without pictures is better than none.
     *
     * @param remarks what was said about the workload when it was read
     */
    public Optional<String> write(AtomicFile file, ReportOrigin origin, List<String> remarks) {
        Path given = Path.of(page);
        boolean device = Files.exists(given) && !Files.isRegularFile(given);
        file.write(new ExperimentPage(comparison, origin, remarks, introduction).html());
        if (device) {
            return Optional.empty(); // no further files
        }
        new ReportDatasets(comparison).all().forEach(this::writeTable);
        Optional<String> problem = PngCanvas.problem();
        if (problem.isEmpty()) {
            figures().forEach(this::writeFigure);
        }
        return problem.map(why -> "no PNG was written: " + why);
    }

    private void writeTable(String name, List<Map<String, Object>> records) {
        try (AtomicFile file = AtomicFile.open(sibling(name + CSV))) {
            PrintWriter out = new PrintWriter(file.writer());
            StructuredOutput.write(OutputFormat.CSV, records, out);
            if (out.checkError()) {
                throw file.writeError(new IOException("the disk may be full"));
            }
            file.commit();
        }
    }

    private void writeFigure(String name, Plot plot) {
        try (AtomicFile file = AtomicFile.open(sibling(name + PNG))) {
            try {
                PngCanvas.write(plot, file.stream());
            } catch (IOException e) {
                throw file.writeError(e);
            }
            file.commit();
        }
    }

    /** The pictures by name; where something was varied, its value is part of the name. */
    private Map<String, Plot> figures() {
        Map<String, Plot> pictures = new LinkedHashMap<>();
        introduction.plots().forEach(plot -> pictures.put(plot.name(), plot));
        SensitivityFigures.of(comparison).forEach(plot -> pictures.put(plot.name(), plot));
        for (Comparison.Group panel : comparison.groups()) {
            ComparisonFigures figures = new ComparisonFigures(comparison, panel);
            List<Plot> plots = new ArrayList<>(figures.distributions());
            plots.addAll(figures.series());
            plots.addAll(figures.ganttPlots());
            plots.addAll(figures.waits());
            plots.addAll(figures.preemptions());
            String value = panel.variation().replaceAll("[^A-Za-z0-9.]+", "-");
            plots.forEach(plot -> pictures.put(plot.name() + (value.isEmpty() ? "" : "-" + value), plot));
        }
        return pictures;
    }

    private String sibling(String name) {
        return stem(page) + name;
    }

    private static String stem(String page) {
        return (page.endsWith(HTML) ? page.substring(0, page.length() - HTML.length()) : page) + "-";
    }

    /** Whether a report may write this file next to its page; which pictures there are is known only at the end. */
    public static boolean writes(Path page, Path file) {
        String stem = stem(page.toString());
        if (!file.toString().startsWith(stem)) {
            return false;
        }
        String name = file.toString().substring(stem.length());
        return name.endsWith(PNG) || ReportDatasets.NAMES.stream().anyMatch(table -> name.equals(table + CSV));
    }
}
