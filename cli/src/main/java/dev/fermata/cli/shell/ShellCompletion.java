package dev.fermata.cli.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Completion scripts for shells: commands, options, their values, and ids of jobs as {@code fermata ls} lists them. Files
 * are completed wherever nothing better is known.
 */
public final class ShellCompletion {
    public static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    private ShellCompletion() {}

    /** @param shell one of {@link #SHELLS} */
    public static String script(String shell, CommandLine root) {
        List<CommandPath> paths = CommandPath.all(root);
        return switch (shell) {
            case "bash" -> bash(paths);
            // The functions of bash work in zsh.
            case "zsh" -> "#compdef fermata\nautoload -U +X bashcompinit && bashcompinit\n" + bash(paths);
            case "fish" -> fish(paths);
            default -> throw new IllegalArgumentException(shell);
        };
    }

    private static String bash(List<CommandPath> paths) {
        return """
            # Completion for fermata.
            _fermata() {
                local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "${path:+$path }${COMP_WORDS[i]}" in
                    %s) path="${path:+$path }${COMP_WORDS[i]}" ;;
                    esac
                done
                case "$path|$prev" in
            %s    esac
                if [[ $cur != -* ]]; then
                    case "$path" in
            %s        %s) COMPREPLY=($(compgen -W "$(fermata ls -o id 2>/dev/null)" -- "$cur")); return ;;
                    *) return ;;
                    esac
                fi
                case "$path" in
            %s    esac
            }
            complete -o default -F _fermata fermata
            """.formatted(
                        paths.stream()
                                .filter(path -> !path.words().isEmpty())
                                .map(path -> quoted(path.joined()))
                                .collect(Collectors.joining(" | ")),
                        paths.stream().map(ShellCompletion::bashValues).collect(Collectors.joining()),
                        paths.stream().map(ShellCompletion::bashCommands).collect(Collectors.joining()),
                        paths.stream()
                                .filter(CommandPath::takesJobs)
                                .map(path -> quoted(path.joined()))
                                .collect(Collectors.joining(" | ")),
                        paths.stream().map(ShellCompletion::bashOptions).collect(Collectors.joining()));
    }

    private static String bashValues(CommandPath path) {
        StringBuilder lines = new StringBuilder();
        for (OptionSpec option : path.options()) {
            List<String> values = CommandPath.values(option);
            String words = CommandPath.takesJobs(option) ? "$(fermata ls -o id 2>/dev/null)" : String.join(" ", values);
            if (!words.isEmpty()) {
                lines.append("    ")
                        .append(Arrays.stream(option.names())
                                .map(name -> quoted(path.joined() + "|" + name))
                                .collect(Collectors.joining(" | ")))
                        .append(") COMPREPLY=($(compgen -W \"")
                        .append(words)
                        .append("\" -- \"$cur\")); return ;;\n");
            }
        }
        return lines.toString();
    }

    private static String bashCommands(CommandPath path) {
        String names = Stream.concat(path.subcommands().stream().map(CommandPath::name), path.values().stream())
                .collect(Collectors.joining(" "));
        return names.isEmpty()
                ? ""
                : "        " + quoted(path.joined()) + ") COMPREPLY=($(compgen -W \"" + names
                        + "\" -- \"$cur\")); return ;;\n";
    }

    private static String bashOptions(CommandPath path) {
        String names = path.options().stream()
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith("--"))
                .collect(Collectors.joining(" "));
        return "    " + quoted(path.joined()) + ") COMPREPLY=($(compgen -W \"" + names + "\" -- \"$cur\")) ;;\n";
    }

    private static String fish(List<CommandPath> paths) {
        StringBuilder script = new StringBuilder("""
            # Completion for fermata.
            function __fermata_at
                set -l words (commandline -opc)
                set -e words[1]
                set -l path
                for word in $words
                    string match -q -- '-*' $word; or set -a path $word
                end
                test (count $path) -ge (count $argv); or return 1
                for i in (seq (count $argv))
                    test "$path[$i]" = "$argv[$i]"; or return 1
                end
            end
            function __fermata_only
                set -l words (commandline -opc)
                test (count (string match -v -- '-*' $words)) -eq (math (count $argv) + 1); and __fermata_at $argv
            end
            function __fermata_jobs
                fermata ls -o id 2>/dev/null
            end
            """);
        for (CommandPath path : paths) {
            for (CommandPath sub : path.subcommands()) {
                script.append("complete -c fermata -f -n '__fermata_only ")
                        .append(path.joined())
                        .append("' -a ")
                        .append(sub.name())
                        .append(" -d ")
                        .append(quoted(sub.summary()))
                        .append('\n');
            }
            if (path.takesJobs()) {
                script.append("complete -c fermata -f -n '__fermata_at ")
                        .append(path.joined())
                        .append("' -a '(__fermata_jobs)'\n");
            }
            if (!path.values().isEmpty()) {
                script.append("complete -c fermata -f -n '__fermata_at ")
                        .append(path.joined())
                        .append("' -a ")
                        .append(quoted(String.join(" ", path.values())))
                        .append('\n');
            }
            path.options().forEach(option -> script.append(fishOption(path, option)));
        }
        return script.toString();
    }

    private static String fishOption(CommandPath path, OptionSpec option) {
        List<String> words = new ArrayList<>(List.of("complete -c fermata"));
        if (!path.words().isEmpty()) {
            words.add("-n '__fermata_at " + path.joined() + "'");
        }
        for (String name : option.names()) {
            words.add(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
        }
        if (option.arity().max() > 0) {
            List<String> values = CommandPath.values(option);
            if (CommandPath.takesJobs(option)) {
                words.add("-x -a '(__fermata_jobs)'");
            } else if (values.isEmpty()) {
                words.add("-r");
            } else {
                words.add("-x -a " + quoted(String.join(" ", values)));
            }
        }
        String description = CommandLine.Help.Ansi.OFF.string(String.join(" ", option.description()))
                .split("\\. ", 2)[0];
        words.add("-d " + quoted(description));
        return String.join(" ", words) + "\n";
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "'\\''").replace("%%", "%") + "'";
    }
}
