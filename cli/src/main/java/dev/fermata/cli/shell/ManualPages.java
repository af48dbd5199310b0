package dev.fermata.cli.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Manual pages in the language of {@code man}, a page for each command. They say what {@code --help} says. */
public final class ManualPages {
    private ManualPages() {}

    /** By file name, such as {@code fermata-ls.1}. */
    public static Map<String, String> pages(CommandLine root, String version) {
        Map<String, String> pages = new LinkedHashMap<>();
        for (CommandPath path : CommandPath.all(root)) {
            pages.put(name(path) + ".1", page(path, version));
        }
        return pages;
    }

    private static String name(CommandPath path) {
        return path.words().isEmpty() ? "fermata" : "fermata-" + String.join("-", path.words());
    }

    private static String page(CommandPath path, String version) {
        List<String> lines = new ArrayList<>();
        lines.add(".TH " + name(path).toUpperCase(Locale.ROOT) + " 1 \"\" \"fermata " + version + "\" \"Fermata\"");
        lines.add(".SH NAME");
        lines.add(escape(name(path)) + " \\- " + escape(path.summary()));
        lines.add(".SH SYNOPSIS");
        lines.add(".nf");
        Help help = new Help(path.spec(), Help.defaultColorScheme(Help.Ansi.OFF));
        lines.add(escape(help.synopsis(0).strip()));
        lines.add(".fi");
        lines.add(".SH DESCRIPTION");
        lines.add(escape(text(path.spec().usageMessage().description())));
        section(
                lines,
                "ARGUMENTS",
                path.spec().positionalParameters().stream()
                        .filter(parameter -> !parameter.hidden())
                        .map(ManualPages::parameter)
                        .toList());
        section(
                lines,
                "OPTIONS",
                path.options().stream().map(ManualPages::option).toList());
        section(
                lines,
                "COMMANDS",
                path.subcommands().stream()
                        .map(sub -> entry(name(sub) + "(1)", sub.summary()))
                        .toList());
        String footer = Help.Ansi.OFF.string(
                String.join("\n", path.spec().usageMessage().footer()));
        if (!footer.isBlank()) {
            lines.add(".SH NOTES");
            lines.add(".nf");
            lines.add(escape(footer.strip()));
            lines.add(".fi");
        }
        if (!path.words().isEmpty()) {
            lines.add(".SH SEE ALSO");
            lines.add("fermata(1)");
        }
        return String.join("\n", lines) + "\n";
    }

    private static void section(List<String> lines, String title, List<String> entries) {
        if (!entries.isEmpty()) {
            lines.add(".SH " + title);
            lines.addAll(entries);
        }
    }

    private static String parameter(PositionalParamSpec parameter) {
        return entry(parameter.paramLabel(), text(parameter.description()));
    }

    private static String option(OptionSpec option) {
        String names = Arrays.stream(option.names()).collect(Collectors.joining(", "));
        return entry(names + label(option), text(option.description()));
    }

    private static String label(ArgSpec option) {
        return option.arity().max() > 0 ? "=" + option.paramLabel() : "";
    }

    private static String entry(String term, String text) {
        return ".TP\n.B " + escape(term) + "\n" + escape(text);
    }

    private static String text(String[] description) {
        return Help.Ansi.OFF.string(String.join(" ", description)).strip();
    }

    /** Backslashes and hyphens mean themselves; no line begins with a request of the formatter. */
    private static String escape(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("%%", "%")
                .lines()
                .map(line -> line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line)
                .collect(Collectors.joining("\n"));
    }
}
