package dev.fermata.cli.simulation;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.StructuredOutput;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Prints a catalogue, or one entry of it. */
abstract class CatalogueCommand<T> extends FermataCommand {
    @Mixin
    private OutputOptions output;

    CatalogueCommand(Invocation invocation) {
        super(invocation);
    }

    abstract List<T> all();

    /** The entry that users mean, or a user error. */
    abstract T find(String name);

    abstract Map<String, Object> fields(T entry);

    abstract void printCatalogue(PrintWriter out, Screen screen);

    abstract void printDetails(T entry, PrintWriter out, Screen screen);

    /** @param name of one entry; null for all */
    final int show(@Nullable String name) {
        OutputFormat format = output.format();
        Screen screen = format == OutputFormat.WIDE ? invocation.screen().unlimited() : invocation.screen();
        if (name == null) {
            if (format.isHumanReadable()) {
                printCatalogue(out(), screen);
            } else {
                StructuredOutput.write(format, all().stream().map(this::fields).toList(), out());
            }
            return ExitCode.OK;
        }
        T entry = find(name);
        if (format.isHumanReadable()) {
            printDetails(entry, out(), screen);
        } else {
            StructuredOutput.write(format, fields(entry), out());
        }
        return ExitCode.OK;
    }
}
