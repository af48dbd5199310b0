package dev.fermata.cli.shell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * One command with the words that lead to it, as completion and manual pages need it. It holds nothing of one shell.
 *
 * @param words the names of the commands on the way, such as {@code profile, run}; empty for the program itself
 */
record CommandPath(List<String> words, CommandSpec spec) {
    /** The label of parameters and options whose values are ids of jobs. */
    private static final String JOB = "JOB";

    /** The program and all its commands, parents first. */
    static List<CommandPath> all(CommandLine root) {
        List<CommandPath> paths = new ArrayList<>();
        collect(List.of(), root, paths);
        return paths;
    }

    private static void collect(List<String> words, CommandLine command, List<CommandPath> paths) {
        paths.add(new CommandPath(words, command.getCommandSpec()));
        children(command)
                .forEach((name, child) ->
                        collect(Stream.concat(words.stream(), Stream.of(name)).toList(), child, paths));
    }

    /** By their names, aliases left out. */
    private static Map<String, CommandLine> children(CommandLine command) {
        Map<String, CommandLine> named = new LinkedHashMap<>();
        command.getSubcommands().forEach((name, child) -> {
            if (child.getCommandName().equals(name)
                    && !child.getCommandSpec().usageMessage().hidden()) {
                named.put(name, child);
            }
        });
        return named;
    }

    List<CommandPath> subcommands() {
        return children(spec.commandLine()).entrySet().stream()
                .map(child -> new CommandPath(
                        Stream.concat(words.stream(), Stream.of(child.getKey())).toList(),
                        child.getValue().getCommandSpec()))
                .toList();
    }

    String name() {
        return words.isEmpty() ? spec.name() : words.get(words.size() - 1);
    }

    /** The words joined, such as {@code profile run}. */
    String joined() {
        return String.join(" ", words);
    }

    List<OptionSpec> options() {
        return spec.options().stream().filter(option -> !option.hidden()).toList();
    }

    /** Whether its parameters are ids of jobs. */
    boolean takesJobs() {
        return spec.positionalParameters().stream()
                .anyMatch(parameter -> parameter.paramLabel().startsWith(JOB)
                        && !parameter.paramLabel().startsWith(JOB + "."));
    }

    static boolean takesJobs(OptionSpec option) {
        return option.paramLabel().equals(JOB);
    }

    /** The values that its parameters accept, where they can be listed. */
    List<String> values() {
        return spec.positionalParameters().stream()
                .flatMap(parameter -> values(parameter).stream())
                .distinct()
                .toList();
    }

    /** The values that an option or a parameter accepts, where they can be listed. */
    static List<String> values(ArgSpec argument) {
        List<String> values = new ArrayList<>();
        Iterable<String> candidates = argument.completionCandidates();
        if (candidates != null) {
            candidates.forEach(values::add);
        }
        return values;
    }

    /** The first sentence of its description, without a full stop. */
    String summary() {
        String text = CommandLine.Help.Ansi.OFF
                .string(String.join(" ", spec.usageMessage().description()))
                .strip();
        int end = text.indexOf(". ");
        String first = end < 0 ? text : text.substring(0, end);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }
}
