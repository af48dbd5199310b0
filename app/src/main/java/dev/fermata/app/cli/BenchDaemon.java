package dev.fermata.app.cli;

import dev.fermata.app.bench.DaemonSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench daemon}: what users of a daemon wait for. */
@Command(
        name = "daemon",
        description =
                "Submits per second, start of a job, restart, lists, idle CPU and memory of a daemon made up for it.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench daemon --quick"})
final class BenchDaemon implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "A tenth of everything and less.")
    private boolean quick;

    @Mixin
    private OutputOptions output;

    BenchDaemon(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws InterruptedException {
        Format format = output.format();
        List<DaemonSpeed.Figure> figures;
        try {
            Path folder = Files.createTempDirectory("fermata-daemon");
            try {
                figures = DaemonSpeed.measure(
                        folder,
                        quick ? DaemonSpeed.Size.QUICK : DaemonSpeed.Size.FULL,
                        () -> surroundings.interruption().asked(),
                        this::say);
            } finally {
                remove(folder);
            }
        } catch (IOException e) {
            throw Complaint.failed(String.valueOf(e.getMessage()), e);
        }
        print(figures, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private void say(String what) {
        if (!output.quiet) {
            spec.commandLine().getErr().println(what + " …");
            spec.commandLine().getErr().flush();
        }
    }

    static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private void print(List<DaemonSpeed.Figure> figures, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, figures.stream().map(BenchDaemon::fields).toList(), out);
            return;
        }
        Table table = new Table()
                .words("what")
                .numbers("measured", Table.ALWAYS)
                .words("unit")
                .words("aim");
        for (DaemonSpeed.Figure figure : figures) {
            table.row(
                    figure.what(),
                    Humane.number(figure.value()),
                    figure.unit(),
                    (figure.most() ? "at most " : "at least ")
                            + Humane.number(figure.aim())
                            + (figure.met() ? "" : ", missed"));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.flush();
    }

    private static Map<String, Object> fields(DaemonSpeed.Figure figure) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("what", figure.what());
        fields.put("value", RunFields.rounded(figure.value(), 3));
        fields.put("unit", figure.unit());
        fields.put("aim", figure.aim());
        fields.put("met", figure.met());
        return fields;
    }
}
