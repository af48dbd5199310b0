package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.report.ProfileFields;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.profile.Measurement;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata profiles}: what is known of the models that jobs train. */
@Command(
        name = "profiles",
        description = "List the models, or one with its measurements and their sources.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata profiles", "  fermata profiles resnet50", "  fermata profiles -o json"})
final class Profiles implements Callable<Integer> {
    private static final String NOTHING = "–";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            completionCandidates = ModelNames.class,
            description = "Show this one; other spellings are understood.")
    private @Nullable String name;

    @Mixin
    private OutputOptions output;

    Profiles(Surroundings surroundings) {
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
                        format,
                        ModelCatalogue.all().stream().map(ProfileFields::of).toList(),
                        out);
            }
            return ExitCode.FINE;
        }
        ModelProfile model = ModelCatalogue.find(wanted, 0)
                .orElseThrow(() -> Complaint.invalid(
                        "no model '" + wanted + "' in the catalogue." + Suggest.among(wanted, ModelCatalogue.names())))
                .model();
        if (format.forPeople()) {
            sheet(model, out, screen);
        } else {
            Structured.write(format, ProfileFields.of(model), out);
        }
        return ExitCode.FINE;
    }

    private static void catalogue(PrintWriter out, Screen screen) {
        Table table = new Table()
                .words("model")
                .numbers("batch", 6)
                .numbers("iteration\non a V100", Table.ALWAYS)
                .numbers("GPU\nbusy", Table.ALWAYS)
                .numbers("memory\nMiB", Table.ALWAYS)
                .numbers("gradient\nMiB", Table.ALWAYS)
                .numbers("layers", 2)
                .numbers("speed on\na P100", 4)
                .numbers("on a\nK80", 4)
                .numbers("pause", Table.ALWAYS)
                .numbers("first\nload", 5)
                .numbers("load\nagain", Table.ALWAYS)
                .words("costs", 3)
                .words("time and memory", 1);
        for (ModelProfile model : ModelCatalogue.all()) {
            Profile profile = model.reference();
            Costs costs = model.costs();
            table.row(
                    model.name(),
                    Humane.count(model.batch()),
                    millis(profile.iterationMillis()),
                    Humane.percent(profile.busyShare()),
                    Humane.count(profile.peakMemoryMib()),
                    Humane.count(profile.gradientMib()),
                    Humane.count(profile.layers()),
                    speed(profile, "P100"),
                    speed(profile, "K80"),
                    Humane.time(costs.pauseMillis() / 1000.0),
                    Humane.time(costs.firstLoadMillis() / 1000.0),
                    Humane.time(costs.reloadMillis() / 1000.0),
                    model.sources().costs(),
                    model.sources().time());
        }
        table.render(screen).forEach(out::println);
        out.println();
        String next = "Measurements and sources of one: fermata profiles NAME."
                + (table.hidden() > 0 ? " More columns: -o wide." : "");
        Words.wrap(next, screen.columns()).forEach(out::println);
    }

    private static void sheet(ModelProfile model, PrintWriter out, Screen screen) {
        Profile profile = model.reference();
        Costs costs = model.costs();
        String title = model.name() + ": " + millis(profile.iterationMillis()) + " an iteration of batch "
                + Humane.count(model.batch()) + " on a V100, " + Humane.percent(profile.busyShare()) + " of it busy, "
                + Humane.count(profile.peakMemoryMib()) + " MiB";
        Words.wrap(title, screen.columns()).forEach(line -> out.println(screen.strong(line)));
        line(out, screen, "Source:   " + model.sources().time());
        line(
                out,
                screen,
                "Gradient: " + Humane.count(profile.gradientMib()) + " MiB in "
                        + Humane.amount(profile.layers(), "layer") + "; speed " + speed(profile, "P100")
                        + " on a P100, " + speed(profile, "K80") + " on a K80 ("
                        + model.sources().exchange() + ")");
        line(
                out,
                screen,
                "Costs:    pause " + Humane.time(costs.pauseMillis() / 1000.0) + ", build "
                        + Humane.time(costs.buildMillis() / 1000.0) + ", restore "
                        + Humane.time(costs.restoreMillis() / 1000.0) + ", warm-up "
                        + Humane.time(costs.warmupMillis() / 1000.0) + " ("
                        + model.sources().costs() + ")");
        if (!model.aliases().isEmpty()) {
            line(out, screen, "Also:     " + String.join(", ", model.aliases()));
        }
        if (!model.relatives().isEmpty()) {
            line(out, screen, "Stands for: " + String.join(", ", model.relatives()));
        }
        out.println();
        if (model.measurements().isEmpty()) {
            out.println("No other measurements.");
            return;
        }
        Table table = new Table()
                .words("GPU")
                .numbers("batch", Table.ALWAYS)
                .numbers("iteration", Table.ALWAYS)
                .numbers("busy", Table.ALWAYS)
                .numbers("memory MiB", Table.ALWAYS)
                .words("measured by");
        for (Measurement m : model.measurements()) {
            table.row(
                    m.gpu(),
                    Humane.count(m.batch()),
                    millis(m.iterationMillis()),
                    m.busyShare() > 0 ? Humane.percent(m.busyShare()) : NOTHING,
                    m.memoryMib() > 0 ? Humane.count(m.memoryMib()) : NOTHING,
                    m.source().equals("H200") ? "Fermata" : m.source());
        }
        table.render(screen).forEach(out::println);
    }

    private static void line(PrintWriter out, Screen screen, String text) {
        Words.wrap(text, screen.columns()).forEach(out::println);
    }

    private static String millis(double millis) {
        return Humane.number(millis) + " ms";
    }

    private static String speed(Profile profile, String type) {
        Double speed = profile.speedByType().get(type);
        return speed == null ? NOTHING : Humane.number(speed);
    }
}
