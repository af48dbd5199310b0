package dev.fermata.insight.input;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;

/** What pausing and loading cost, as the user wrote it: {@code none}, {@code profiles}, {@code scale:X}, or a file. */
public final class CostsInput {
    private static final String SCALE = "scale:";

    private final String text;
    private final BiFunction<Job, Costs, Costs> change;

    private CostsInput(String text, BiFunction<Job, Costs, Costs> change) {
        this.text = text;
        this.change = change;
    }

    public static CostsInput parse(String text) {
        if (text.equals("profiles")) {
            return new CostsInput(text, (job, own) -> own);
        }
        if (text.equals("none")) {
            return new CostsInput(text, (job, own) -> Costs.NONE);
        }
        if (text.startsWith(SCALE)) {
            double factor = Quantity.number("--costs scale", text.substring(SCALE.length()), 0, 1e6);
            return new CostsInput(text, (job, own) -> own.scaled(factor));
        }
        Path file = Path.of(text);
        if (!Files.exists(file)) {
            throw Quantity.invalid("--costs", text, "must be none, profiles, scale:X or an existing file");
        }
        return new CostsInput(text, CostsFile.read(file));
    }

    /** As they were measured on the jobs themselves. */
    static CostsInput ofProfiles() {
        return new CostsInput("measured", (job, own) -> own);
    }

    public String text() {
        return text;
    }

    /** The same jobs with these costs, both declared and true. */
    public Workload apply(Workload workload) {
        if (text.equals("profiles") || text.equals("measured")) {
            return workload;
        }
        return new Workload(
                workload.name(), workload.jobs().stream().map(this::withCosts).toList());
    }

    private SimulatedJob withCosts(SimulatedJob job) {
        return new SimulatedJob(
                job.job().withCosts(change.apply(job.job(), job.job().costs())),
                job.submitMillis(),
                job.durationMillis(),
                job.peakMemoryMib(),
                change.apply(job.job(), job.costs()));
    }
}
