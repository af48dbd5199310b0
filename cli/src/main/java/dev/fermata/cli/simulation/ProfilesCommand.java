package dev.fermata.cli.simulation;

import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.ModelNames;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.summary.ProfileFields;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import dev.fermata.sim.profile.IterationMeasurement;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata profiles}: the simulator's catalogue of models. */
@Command(
        name = "profiles",
        description = "List the models, or one with its measurements and their sources.",
        footer = {"", "Examples:", "  fermata profiles", "  fermata profiles resnet50", "  fermata profiles -o json"})
public final class ProfilesCommand extends CatalogueCommand<ModelProfile> {
    private static final String ABSENT = "–";

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            completionCandidates = ModelNames.class,
            description = "Show this one; other spellings are understood.")
    private @Nullable String name;

    public ProfilesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        return show(name);
    }

    @Override
    List<ModelProfile> all() {
        return ModelCatalogue.all();
    }

    @Override
    ModelProfile find(String wanted) {
        return ModelCatalogue.find(wanted, 0)
                .orElseThrow(() -> UserError.invalid("no model '" + wanted + "' in the catalogue."
                        + Suggestion.didYouMean(wanted, ModelCatalogue.names())))
                .model();
    }

    @Override
    Map<String, Object> fields(ModelProfile model) {
        return ProfileFields.of(model);
    }

    @Override
    void printCatalogue(PrintWriter out, Screen screen) {
        TextTable table = new TextTable()
                .textColumn("model")
                .numberColumn("batch", 6)
                .numberColumn("iteration\non a V100", TextTable.ALWAYS)
                .numberColumn("GPU\nbusy", TextTable.ALWAYS)
                .numberColumn("memory\nMiB", TextTable.ALWAYS)
                .numberColumn("gradient\nMiB", TextTable.ALWAYS)
                .numberColumn("layers", 2)
                .numberColumn("speed on\na P100", 4)
                .numberColumn("on a\nK80", 4)
                .numberColumn("pause", TextTable.ALWAYS)
                .numberColumn("first\nload", 5)
                .numberColumn("load\nagain", TextTable.ALWAYS)
                .textColumn("costs", 3)
                .textColumn("time and memory", 1);
        for (ModelProfile model : ModelCatalogue.all()) {
            Profile profile = model.reference();
            Costs costs = model.costs();
            table.row(
                    model.name(),
                    HumanFormat.count(model.batch()),
                    millis(profile.iterationMillis()),
                    HumanFormat.percent(profile.busyShare()),
                    HumanFormat.count(profile.peakMemoryMib()),
                    HumanFormat.count(profile.gradientMib()),
                    HumanFormat.count(profile.layers()),
                    speed(profile, "P100"),
                    speed(profile, "K80"),
                    HumanFormat.time(costs.preemptMillis() / 1000.0),
                    HumanFormat.time(costs.firstLoadMillis() / 1000.0),
                    HumanFormat.time(costs.reloadMillis() / 1000.0),
                    model.sources().costs(),
                    model.sources().time());
        }
        table.render(screen).forEach(out::println);
        out.println();
        String next = "Measurements and sources of one: fermata profiles NAME."
                + (table.hidden() > 0 ? " More columns: -o wide." : "");
        WordWrap.wrap(next, screen.columns()).forEach(out::println);
    }

    @Override
    void printDetails(ModelProfile model, PrintWriter out, Screen screen) {
        Profile profile = model.reference();
        Costs costs = model.costs();
        String title = model.name() + ": " + millis(profile.iterationMillis()) + " an iteration of batch "
                + HumanFormat.count(model.batch()) + " on a V100, " + HumanFormat.percent(profile.busyShare())
                + " of it busy, "
                + HumanFormat.count(profile.peakMemoryMib()) + " MiB";
        WordWrap.wrap(title, screen.columns()).forEach(line -> out.println(screen.bold(line)));
        line(out, screen, "Source:   " + model.sources().time());
        line(
                out,
                screen,
                "Gradient: " + HumanFormat.count(profile.gradientMib()) + " MiB in "
                        + HumanFormat.amount(profile.layers(), "layer") + "; speed " + speed(profile, "P100")
                        + " on a P100, " + speed(profile, "K80") + " on a K80 ("
                        + model.sources().exchange() + ")");
        line(
                out,
                screen,
                "Costs:    pause " + HumanFormat.time(costs.preemptMillis() / 1000.0) + ", build "
                        + HumanFormat.time(costs.buildMillis() / 1000.0) + ", restore "
                        + HumanFormat.time(costs.restoreMillis() / 1000.0) + ", warm-up "
                        + HumanFormat.time(costs.warmupMillis() / 1000.0) + " ("
                        + model.sources().costs() + ")");
        if (!model.aliases().isEmpty()) {
            line(out, screen, "Also:     " + String.join(", ", model.aliases()));
        }
        if (!model.relatedModels().isEmpty()) {
            line(out, screen, "Stands for: " + String.join(", ", model.relatedModels()));
        }
        out.println();
        if (model.measurements().isEmpty()) {
            out.println("No other measurements.");
            return;
        }
        TextTable table = new TextTable()
                .textColumn("GPU")
                .numberColumn("batch", TextTable.ALWAYS)
                .numberColumn("iteration", TextTable.ALWAYS)
                .numberColumn("busy", TextTable.ALWAYS)
                .numberColumn("memory MiB", TextTable.ALWAYS)
                .textColumn("measured by");
        for (IterationMeasurement m : model.measurements()) {
            table.row(
                    m.gpu(),
                    HumanFormat.count(m.batch()),
                    millis(m.iterationMillis()),
                    m.busyShare() > 0 ? HumanFormat.percent(m.busyShare()) : ABSENT,
                    m.memoryMib() > 0 ? HumanFormat.count(m.memoryMib()) : ABSENT,
                    m.source().equals("H200") ? "Fermata" : m.source());
        }
        table.render(screen).forEach(out::println);
    }

    private static void line(PrintWriter out, Screen screen, String text) {
        WordWrap.wrap(text, screen.columns()).forEach(out::println);
    }

    private static String millis(double millis) {
        return HumanFormat.number(millis) + " ms";
    }

    private static String speed(Profile profile, String type) {
        Double speed = profile.speedByType().get(type);
        return speed == null ? ABSENT : HumanFormat.number(speed);
    }
}
