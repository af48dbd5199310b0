package dev.fermata.cli.simulation;

import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.core.policy.Param;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.PolicyTrait;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata policies}: the catalogue. */
@Command(
        name = "policies",
        description = "List the policies, or one with its parameters.",
        footer = {"", "Examples:", "  fermata policies", "  fermata policies las", "  fermata policies -o json"})
public final class PoliciesCommand extends CatalogueCommand<PolicyInfo> {
    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            completionCandidates = PolicyNames.class,
            description = "Show this one with its parameters.")
    private @Nullable String name;

    public PoliciesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        return show(name);
    }

    @Override
    List<PolicyInfo> all() {
        return PolicyCatalogue.all();
    }

    @Override
    PolicyInfo find(String wanted) {
        return UserError.wrapInvalid(() -> PolicyCatalogue.find(wanted));
    }

    @Override
    void printCatalogue(PrintWriter out, Screen screen) {
        TextTable table = new TextTable()
                .textColumn("policy")
                .textColumn("what it does")
                .textColumn("traits", 2)
                .textColumn("source", 1);
        for (PolicyInfo info : PolicyCatalogue.all()) {
            table.row(info.name(), info.summary(), traits(info), info.source());
        }
        table.render(screen).forEach(out::println);
        out.println();
        String next = "Parameters of one: fermata policies NAME. Side by side: fermata compare."
                + (table.hidden() > 0 ? " More columns: -o wide." : "");
        WordWrap.wrap(next, screen.columns()).forEach(out::println);
    }

    @Override
    void printDetails(PolicyInfo info, PrintWriter out, Screen screen) {
        WordWrap.wrap(info.name() + ": " + info.summary(), screen.columns())
                .forEach(line -> out.println(screen.bold(line)));
        WordWrap.wrap("Source: " + info.source(), screen.columns()).forEach(out::println);
        for (PolicyTrait trait : info.traits()) {
            WordWrap.wrap("Trait:  " + label(trait) + " (" + trait.meaning() + ")", screen.columns())
                    .forEach(out::println);
        }
        out.println();
        if (info.params().isEmpty()) {
            out.println("It has no parameters.");
            return;
        }
        TextTable table = new TextTable()
                .textColumn("parameter")
                .textColumn("default")
                .textColumn("values")
                .textColumn("meaning");
        for (Param param : info.params()) {
            table.row(param.name(), format(param, param.defaultValue()), values(param), param.help());
        }
        table.render(screen).forEach(out::println);
        Param first = info.params().get(0);
        out.println();
        out.println("Example: fermata simulate --policy " + info.name() + ":" + first.name() + "="
                + format(first, first.defaultValue()));
    }

    private static String values(Param param) {
        return switch (param.valueType()) {
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
        return seconds < 60 ? number(seconds) + "s" : HumanFormat.time(seconds);
    }

    /** A default of 10.0 reads better as 10. */
    private static String format(Param param, String value) {
        return param.valueType() == Param.ValueType.NUMBER ? number(Double.parseDouble(value)) : value;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? HumanFormat.count(value) : Double.toString(value);
    }

    private static String traits(PolicyInfo info) {
        return String.join(
                ", ", info.traits().stream().map(PoliciesCommand::label).toList());
    }

    private static String label(PolicyTrait trait) {
        return trait.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    Map<String, Object> fields(PolicyInfo info) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", info.name());
        fields.put("summary", info.summary());
        fields.put("source", info.source());
        fields.put("traits", info.traits().stream().map(PolicyTrait::name).toList());
        fields.put(
                "parameters",
                info.params().stream().map(PoliciesCommand::parameter).toList());
        return fields;
    }

    private static Map<String, Object> parameter(Param param) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", param.name());
        fields.put("type", param.valueType().name());
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
