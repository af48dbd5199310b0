package dev.fermata.insight.input;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.sim.trace.ModelAssignment;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceImporter;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadGenerator;
import dev.fermata.sim.workload.WorkloadSpec;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A workload as the user named it, checked: a generator's spec or a trace file, the part to run, and its costs. */
public final class WorkloadInput {
    private static final List<String> GENERATORS =
            WorkloadSpec.generators().stream().map(WorkloadGenerator::name).toList();

    /** A trace and how many of its jobs the selection leaves. */
    private record LoadedTrace(Trace trace, int jobs) {}

    private final String text;
    private final Optional<LoadedTrace> trace;
    private final JobSelection selection;
    private final CostsInput costs;
    private final ModelsInput models;
    private final Optional<Workload> recorded;

    private WorkloadInput(
            String text, Optional<LoadedTrace> trace, JobSelection selection, CostsInput costs, ModelsInput models) {
        this(text, trace, selection, costs, models, Optional.empty());
    }

    private WorkloadInput(
            String text,
            Optional<LoadedTrace> trace,
            JobSelection selection,
            CostsInput costs,
            ModelsInput models,
            Optional<Workload> recorded) {
        this.recorded = recorded;
        this.text = text;
        this.trace = trace;
        this.selection = selection;
        this.costs = costs;
        this.models = models;
    }

    public static WorkloadInput parse(
            String text,
            String format,
            JobSelection selection,
            CostsInput costs,
            ModelsInput models,
            TraceCache traces) {
        Optional<TraceFormat> requested = TraceCache.format(format);
        if (WorkloadSpec.isGenerated(text)) {
            WorkloadSpec.parse(text);
            return new WorkloadInput(text, Optional.empty(), selection, costs, models);
        }
        Path file = path(text);
        if (!Files.exists(file)) {
            throw noSuchWorkload(text);
        }
        Trace trace = traces.read(file, requested);
        int jobs = selection
                .apply(TraceImporter.toWorkload(trace, ModelAssignment.namedOnly(List.of())))
                .jobs()
                .size();
        return new WorkloadInput(text, Optional.of(new LoadedTrace(trace, jobs)), selection, costs, models);
    }

    /** Jobs of a history, whose costs were measured. */
    public static WorkloadInput ofRecording(Workload workload) {
        return new WorkloadInput(
                workload.name(),
                Optional.empty(),
                JobSelection.parse("", "1"),
                CostsInput.ofProfiles(),
                ModelsInput.parse("rule"),
                Optional.of(workload));
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw noSuchWorkload(text);
        }
    }

    private static IllegalArgumentException noSuchWorkload(String text) {
        int colon = text.indexOf(':');
        return new IllegalArgumentException(
                colon < 0
                        ? "--workload (" + text + ") is neither a file nor a generator."
                                + (text.indexOf('.') < 0 ? Suggestion.didYouMean(text, GENERATORS) : "")
                        : "--workload (" + text + "): no generator '" + text.substring(0, colon) + "' in this version."
                                + Suggestion.didYouMean(text.substring(0, colon), GENERATORS));
    }

    public static boolean isGenerator(String text) {
        return WorkloadSpec.isGenerated(text);
    }

    /** The jobs; of a trace only what it does not state depends on the seed. */
    public Workload workload(Topology topology, long seed) {
        return recorded.orElseGet(() -> costs.apply(selection.apply(trace.map(
                        read -> TraceImporter.toWorkload(read.trace, models.modelAssignment(topology.types(), seed)))
                .orElseGet(() -> WorkloadSpec.generate(text, topology, seed)))));
    }

    /** How many jobs it has at most, without generating them. */
    public int expectedJobs() {
        return recorded.isPresent()
                ? recorded.get().jobs().size()
                : trace.map(LoadedTrace::jobs)
                        .orElseGet(() -> WorkloadSpec.parse(text).jobs());
    }

    public Optional<Path> file() {
        return trace.map(t -> Path.of(text));
    }

    public String costs() {
        return costs.text();
    }

    public String models() {
        return models.text();
    }

    /** Describes the source of preemption costs, load costs and profiles. */
    public String assumptions() {
        return (trace.isPresent() ? "models " + models.text() + ", " : "") + "costs " + costs.text();
    }
}
