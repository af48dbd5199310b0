package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.Param;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.Trait;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata policies}: the catalogue. */
@Command(
        name = "policies",
        description = "List the policies, or one with its parameters.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata policies", "  fermata policies las", "  fermata policies -o json"})
final class Policies implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            completionCandidates = PolicyNames.class,
            description = "Show this one with its parameters.")
    private @Nullable String name;

    @Mixin
    private OutputOptions output;

    Policies(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        PrintWriter out = spec.commandLine().getOut();
        Screen screen = format == Format.WIDE ? surroundings.screen().unlimited() : surroundings.screen();
        String wanted = name;
        if (wanted == null) {
            if (format.forPeople()) {
                catalogue(out, screen);
            } else {
                Structured.write(
                        format, Catalogue.all().stream().map(Policies::fields).toList(), out);
            }
            return ExitCode.FINE;
        }
        PolicyInfo info = Complaint.ifInvalid(() -> Catalogue.find(wanted));
        if (format.forPeople()) {
            sheet(info, out, screen);
        } else {
            Structured.write(format, fields(info), out);
        }
        return ExitCode.FINE;
    }

    private static void catalogue(PrintWriter out, Screen screen) {
        Table table = new Table()
                .words("policy")
                .words("what it does")
                .words("traits", 2)
                .words("source", 1);
        for (PolicyInfo info : Catalogue.all()) {
            table.row(info.name(), info.summary(), traits(info), info.source());
        }
        table.render(screen).forEach(out::println);
        out.println();
        String next = "Parameters of one: fermata policies NAME. Side by side: fermata compare."
                + (table.hidden() > 0 ? " More columns: -o wide." : "");
        Words.wrap(next, screen.columns()).forEach(out::println);
    }

    private static void sheet(PolicyInfo info, PrintWriter out, Screen screen) {
        Words.wrap(info.name() + ": " + info.summary(), screen.columns())
                .forEach(line -> out.println(screen.strong(line)));
        Words.wrap("Source: " + info.source(), screen.columns()).forEach(out::println);
        for (Trait trait : info.traits()) {
            Words.wrap("Trait:  " + label(trait) + " (" + trait.meaning() + ")", screen.columns())
                    .forEach(out::println);
        }
        out.println();
        if (info.params().isEmpty()) {
            out.println("It has no parameters.");
            return;
        }
        Table table =
                new Table().words("parameter").words("default").words("values").words("meaning");
        for (Param param : info.params()) {
            table.row(param.name(), shown(param, param.defaultValue()), values(param), param.help());
        }
        table.render(screen).forEach(out::println);
        Param first = info.params().get(0);
        out.println();
        out.println("Example: fermata simulate --policy " + info.name() + ":" + first.name() + "="
                + shown(first, first.defaultValue()));
    }

    private static String values(Param param) {
        return switch (param.kind()) {
            case FLAG, CHOICE -> String.join(", ", param.choices());
            case INTEGER -> "whole number, " + range(param);
            case NUMBER -> "number, " + range(param);
            case SECONDS -> "time, " + time(param.min()) + " to " + time(param.max());
        };
    }

    private static String range(Param param) {
        return number(param.min()) + " to " + number(param.max());
    }

    private static String time(double seconds) {
        return seconds < 60 ? number(seconds) + "s" : Humane.time(seconds);
    }

    /** A default of 10.0 reads better as 10. */
    private static String shown(Param param, String value) {
        return param.kind() == Param.Kind.NUMBER ? number(Double.parseDouble(value)) : value;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Humane.count(value) : Double.toString(value);
    }

    private static String traits(PolicyInfo info) {
        return String.join(", ", info.traits().stream().map(Policies::label).toList());
    }

    private static String label(Trait trait) {
        return trait.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static Map<String, Object> fields(PolicyInfo info) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", info.name());
        fields.put("summary", info.summary());
        fields.put("source", info.source());
        fields.put("traits", info.traits().stream().map(Trait::name).toList());
        fields.put("parameters", info.params().stream().map(Policies::fields).toList());
        return fields;
    }

    private static Map<String, Object> fields(Param param) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", param.name());
        fields.put("kind", param.kind().name());
        fields.put("default", param.defaultValue());
        if (param.choices().isEmpty()) {
            fields.put("min", param.min());
            fields.put("max", param.max());
        } else {
            fields.put("choices", List.copyOf(param.choices()));
        }
        fields.put("help", param.help());
        return fields;
    }
}
