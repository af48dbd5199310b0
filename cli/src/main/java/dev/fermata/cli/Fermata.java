package dev.fermata.cli;

import dev.fermata.cli.demo.DemoCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.Version;
import dev.fermata.cli.output.StandardOutput;
import dev.fermata.cli.simulation.CompareCommand;
import dev.fermata.cli.simulation.FillCommand;
import dev.fermata.cli.simulation.PoliciesCommand;
import dev.fermata.cli.simulation.ProfilesCommand;
import dev.fermata.cli.simulation.ReplayCommand;
import dev.fermata.cli.simulation.ShadowCommand;
import dev.fermata.cli.simulation.SimulateCommand;
import dev.fermata.cli.simulation.TraceCommand;
import dev.fermata.cli.simulation.TraceConvertCommand;
import dev.fermata.cli.simulation.TraceInspectCommand;
import dev.fermata.cli.simulation.TraceSampleCommand;
import dev.fermata.cli.simulation.TuneCommand;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command, which lists the others. {@link #execute} runs the whole program on given streams. */
@Command(
        name = "fermata",
        description = "A scheduler for GPU clusters, with the simulator that measures it.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Start here:",
            "  fermata demo                         watch real trainings being paused and resumed",
            "  fermata up                           the daemon: real jobs on this machine",
            "  fermata submit -- python train.py    a job for it; then: ls, logs -f, explain, top",
            "  fermata compare                      policies side by side on a generated workload",
            "  fermata simulate --policy las        one of them in detail",
            "  fermata policies                     the policies to choose from",
            "  fermata trace inspect FILE           what is in a trace",
            "",
            "Settings: flag > environment FERMATA_<FLAG> > file fermata.yaml > default."
        })
public final class Fermata implements Runnable {

    private static final String COMPLETION = "completion";
    private static final String MANUAL = "manual";
    /** Commands that describe all others. */
    private static final List<String> ABOUT_ALL = List.of(COMPLETION, MANUAL);

    @Spec
    private CommandSpec spec;

    /** Declared for the help and the parser; {@link Plugins} reads the flag before the command line is parsed. */
    @Option(
            names = Plugins.FLAG,
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "Jars with more policies, generators, trace formats, engines and commands (docs/plugins.md).")
    void ignorePlugins(String folder) {}

    private Fermata() {}

    /** Runs one command line and returns its exit code. Never exits the JVM. */
    public static int execute(Invocation invocation, PrintWriter out, PrintWriter err, String... args) {
        List<CommandPlugin> plugins;
        try {
            plugins = Plugins.load(invocation, args);
        } catch (UserError e) {
            return ErrorReporter.reportFailure(
                    e, new CommandLine(new Fermata()).setOut(out).setErr(err));
        }
        return execute(invocation, plugins, out, err, args);
    }

    /** The same with these commands of plugins and no others. */
    public static int execute(
            Invocation invocation, List<CommandPlugin> plugins, PrintWriter out, PrintWriter err, String... args) {
        CommandLine root;
        try {
            root = commandLine(invocation, plugins, args);
        } catch (UserError e) {
            return ErrorReporter.reportFailure(
                    e, new CommandLine(new Fermata()).setOut(out).setErr(err));
        }
        FlagDefaults defaults = FlagDefaults.of(invocation, root);
        FlagDefaults.misspelledVariables(invocation, root).forEach(text -> err.println("fermata: warning: " + text));
        root.setDefaultValueProvider(defaults)
                .setOut(out)
                .setErr(err)
                .setColorScheme(
                        CommandLine.Help.defaultColorScheme(invocation.screen().colour() ? Ansi.ON : Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(
                        Math.max(80, Math.min(120, invocation.screen().columns())))
                .setParameterExceptionHandler(ErrorReporter::reportInvalidArguments)
                .setExecutionExceptionHandler((e, command, parsed) -> ErrorReporter.reportFailure(e, command))
                .setExecutionStrategy(parsed -> run(parsed, defaults));
        try {
            int code = root.execute(args);
            if (code == ExitCode.OK) {
                StandardOutput.flush(out);
            }
            return code;
        } catch (UserError | OutOfMemoryError | StackOverflowError e) {
            return ErrorReporter.reportFailure(e, root);
        } finally {
            out.flush();
            err.flush();
        }
    }

    /** The program with all its commands, or with the one that these arguments name if nothing depends on the others. */
    static CommandLine commandLine(Invocation invocation, List<CommandPlugin> plugins, String... args) {
        CommandLine root = new CommandLine(new Fermata());
        CommandTable table = commands(invocation);
        // Commands of plugins are held against all others.
        boolean alone = plugins.isEmpty() && !FlagDefaults.isSet(invocation);
        if (alone && args.length > 0 && table.has(args[0]) && !ABOUT_ALL.contains(args[0])) {
            table.addTo(root, args[0]);
            return root;
        }
        table.addAllTo(root);
        for (CommandPlugin plugin : plugins) {
            for (CommandLine command : plugin.commands(invocation)) {
                add(root, command);
            }
        }
        return root;
    }

    private static CommandTable commands(Invocation invocation) {
        CommandTable table = new CommandTable().add("demo", () -> new DemoCommand(invocation));
        DaemonCommands.addTo(table, invocation);
        return table.add(
                        "shadow",
                        () -> new CommandLine(new ShadowCommand()).addSubcommand(new ShadowCommand.Report(invocation)))
                .add("replay", () -> new ReplayCommand(invocation))
                .add("tune", () -> new TuneCommand(invocation))
                .add("simulate", () -> new SimulateCommand(invocation))
                .add("compare", () -> new CompareCommand(invocation))
                .add("fill", () -> new FillCommand(invocation))
                .add("policies", () -> new PoliciesCommand(invocation))
                .add(
                        "trace",
                        () -> new CommandLine(new TraceCommand())
                                .addSubcommand(new TraceInspectCommand(invocation))
                                .addSubcommand(new TraceConvertCommand())
                                .addSubcommand(new TraceSampleCommand()))
                .add("profiles", () -> new ProfilesCommand(invocation))
                .add(COMPLETION, CompletionCommand::new)
                .add(MANUAL, ManualCommand::new);
    }

    /** A command of a plugin, with a line in the list of the help's footer. */
    private static void add(CommandLine root, CommandLine command) {
        String name = command.getCommandName();
        if (root.getSubcommands().containsKey(name)) {
            throw UserError.invalid("a plugin cannot be used: there is a command '" + name + "' already");
        }
        root.addSubcommand(command);
        UsageMessageSpec usage = root.getCommandSpec().usageMessage();
        List<String> footer = new ArrayList<>(List.of(usage.footer()));
        String description =
                String.join(" ", command.getCommandSpec().usageMessage().description());
        footer.add(footer.lastIndexOf(""), String.format("  %-37s%s", "fermata " + name, firstClause(description)));
        usage.footer(footer.toArray(String[]::new));
    }

    /** As much of a description as fits the footer. */
    private static String firstClause(String description) {
        String clause = description.split("[:.]", 2)[0];
        return clause.isEmpty() ? clause : clause.substring(0, 1).toLowerCase(Locale.ROOT) + clause.substring(1);
    }

    private static int run(ParseResult parsed, FlagDefaults defaults) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        try {
            defaults.check();
        } catch (RuntimeException e) {
            return ErrorReporter.reportFailure(e, last.commandSpec().commandLine());
        }
        return new RunLast().execute(parsed);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
