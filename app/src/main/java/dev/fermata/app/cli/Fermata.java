package dev.fermata.app.cli;

import dev.fermata.app.cli.daemon.DaemonCommands;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.StandardOutput;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;

/** The root command: lists the others. {@link #execute} runs the whole program on given streams. */
@Command(
        name = "fermata",
        description = "A scheduler for GPU clusters, with the simulator that measures it.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Start here:",
            "  fermata demo                         look on: real trainings, paused and resumed",
            "  fermata up                           the daemon: real jobs on this machine",
            "  fermata submit -- python train.py    a job for it; then: ls, logs -f, explain, top",
            "  fermata compare                      policies side by side on a generated workload",
            "  fermata simulate --policy las        one of them in detail",
            "  fermata policies                     what there is to choose from",
            "  fermata trace inspect FILE           what is in a trace",
            "  fermata reproduce all                five papers: their claims beside what comes out here",
            "",
            "Settings: flag > environment FERMATA_<FLAG> > file fermata.yaml > default."
        })
public final class Fermata implements Runnable {

    @Spec
    private CommandSpec spec;

    private Fermata() {}

    /** Runs one command line and answers its exit code. Never exits the JVM. */
    public static int execute(Surroundings surroundings, PrintWriter out, PrintWriter err, String... args) {
        CommandLine root = commandLine(surroundings);
        FlagDefaults defaults = FlagDefaults.around(surroundings, root);
        FlagDefaults.misspelt(surroundings, root).forEach(text -> err.println("fermata: warning: " + text));
        root.setDefaultValueProvider(defaults)
                .setOut(out)
                .setErr(err)
                .setColorScheme(CommandLine.Help.defaultColorScheme(
                        surroundings.screen().colour() ? Ansi.ON : Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(
                        Math.max(80, Math.min(120, surroundings.screen().columns())))
                .setParameterExceptionHandler(Failures::parameter)
                .setExecutionExceptionHandler((e, command, parsed) -> Failures.execution(e, command))
                .setExecutionStrategy(parsed -> run(parsed, defaults));
        try {
            int code = root.execute(args);
            if (code == ExitCode.FINE) {
                StandardOutput.flush(out);
            }
            return code;
        } catch (Complaint | OutOfMemoryError | StackOverflowError e) {
            return Failures.execution(e, root);
        } finally {
            out.flush();
            err.flush();
        }
    }

    static CommandLine commandLine(Surroundings surroundings) {
        CommandLine root = new CommandLine(new Fermata());
        root.addSubcommand(new Demo(surroundings));
        DaemonCommands.addTo(root, surroundings);
        return root.addSubcommand(new Replay(surroundings))
                .addSubcommand(new Tune(surroundings))
                .addSubcommand(new Simulate(surroundings))
                .addSubcommand(new Compare(surroundings))
                .addSubcommand(new FillUp(surroundings))
                .addSubcommand(new Reproduce(surroundings))
                .addSubcommand(new Policies(surroundings))
                .addSubcommand(new CommandLine(new TraceCommand())
                        .addSubcommand(new TraceInspect(surroundings))
                        .addSubcommand(new TraceConvert())
                        .addSubcommand(new TraceSample()))
                .addSubcommand(new Profiles(surroundings))
                .addSubcommand(new CommandLine(new Bench())
                        .addSubcommand(new BenchSim(surroundings))
                        .addSubcommand(new BenchDecide(surroundings))
                        .addSubcommand(new BenchPlace(surroundings))
                        .addSubcommand(new BenchEta(surroundings))
                        .addSubcommand(new BenchStarts(surroundings))
                        .addSubcommand(new BenchRead(surroundings))
                        .addSubcommand(new BenchStore(surroundings))
                        .addSubcommand(new BenchDaemon(surroundings))
                        .addSubcommand(new BenchFidelity(surroundings)))
                .addSubcommand(new Completion());
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
            return Failures.execution(e, last.commandSpec().commandLine());
        }
        return new RunLast().execute(parsed);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
