package dev.fermata.core.estimate;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.RunFeatures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The work of jobs as completed runs of their programs suggest it. One run teaches that work grows with the stated steps or
 * epochs; more show how it depends on the numbers among the options ({@link OptionSlopes}) and what every run takes before its
 * first step. Runs with options like those of the job count most. An estimate costs O(runs · options).
 */
final class SimilarRuns {
    private static final int MAX_PROGRAMS = 2_000;
    private static final int MAX_RUNS = 128;
    /** Runs this far apart count for a third. */
    private static final double REACH = 0.4;

    private static final double MIN_WEIGHT = 0.01;
    /** Runs as close as this have the same options. */
    private static final double SAME = 0.05;
    /** Lengths that differ by less do not show what a run takes before its first step. */
    private static final double MIN_LENGTH_RATIO = 1.4;

    /** Spread of a program whose runs do not show it yet, as natural logarithm: a tenth takes a fifth more. */
    private static final double PRIOR_DECILE = 0.2;
    /** So many runs count as much as the assumed spread. */
    private static final double PRIOR_RUNS = 2;

    private static final double LEAST_DECILE = 0.04;
    private static final double MOST_DECILE = 2.5;

    private static final double OTHER_NAME = 0.5;
    private static final double OTHER_USER = 0.3;

    /** What makes jobs of a program alike. */
    private record Kind(RunFeatures features, String name, String user) {
        static Kind of(Job job) {
            return new Kind(job.features(), JobGroups.prefix(job.name()), job.user());
        }

        double distance(Kind other) {
            return features.distance(other.features)
                    + (name.equals(other.name) ? 0 : OTHER_NAME)
                    + (user.equals(other.user) ? 0 : OTHER_USER);
        }
    }

    private record Run(Kind kind, double workMillis) {
        RunFeatures features() {
            return kind.features;
        }

        double length() {
            return kind.features.length();
        }
    }

    /** @param perUnit work for each unit of length, as if the run had had the options of the job */
    private record WeighedRun(Run run, double perUnit, double weight) {}

    /**
     * The work of a job in all, log-logistic: the longer it outlasts the median, the longer it is expected to last.
     *
     * @param decile the natural logarithm between the median and the ninth decile
     */
    record WorkEstimate(double medianMillis, double decile) {
        private static final double LN_9 = 2.1972245773362196;
        /** Of jobs that so few would reach, these runs say nothing. */
        private static final double LEAST_CHANCE = 0.02;

        /** The chance that it does as much. */
        private double survival(long doneMillis) {
            return 1 / (1 + StrictMath.pow(coarse(doneMillis) / medianMillis, LN_9 / decile));
        }

        boolean holdsFor(long doneMillis) {
            return survival(doneMillis) >= LEAST_CHANCE;
        }

        /** What is left after this much work, with this chance of being less. */
        long leftMillis(long doneMillis, double chance) {
            double reached = (1 - chance) * survival(doneMillis);
            double total = medianMillis * StrictMath.pow(1 / reached - 1, decile / LN_9);
            return Math.max(1, Math.round(Math.min(total, 1e14)) - doneMillis);
        }
    }

    /** The runs of one program, and how often enough were added to make a difference. */
    private static final class Program {
        final Deque<Run> runs = new ArrayDeque<>();
        final Map<Kind, WorkEstimate> estimates = new LinkedHashMap<>();
        long added;
        long nextVersionAt = 1;
    }

    private final Map<String, Program> programs = new LinkedHashMap<>(16, 0.75f, true);
    private long version;

    /** Work in steps of a thirty-second at most: a replay, which knows work to a few milliseconds, shall conclude the same. */
    private static double coarse(long workMillis) {
        long step = Math.max(1, Long.highestOneBit(workMillis) >> 5);
        long begin = workMillis - workMillis % step;
        return begin + (step - 1) / 2.0;
    }

    /** A job like this has completed, and this was its work. */
    void add(Job job, long workMillis) {
        RunFeatures features = job.features();
        if (workMillis <= 0 || !features.isKnown()) {
            return;
        }
        Program program = programs.computeIfAbsent(features.group(), name -> new Program());
        program.runs.addLast(new Run(Kind.of(job), coarse(workMillis)));
        if (program.runs.size() > MAX_RUNS) {
            program.runs.removeFirst();
        }
        if (++program.added >= program.nextVersionAt) {
            program.nextVersionAt = program.added + 1 + program.added / 4;
            program.estimates.clear();
            version++;
        }
        if (programs.size() > MAX_PROGRAMS) {
            programs.remove(programs.keySet().iterator().next());
        }
    }

    /** Grows when estimates may have changed; in between they stay. */
    long version() {
        return version;
    }

    /** The completed runs of its program that are known. */
    int count(RunFeatures features) {
        Program program = features.isKnown() ? programs.get(features.group()) : null;
        return program == null ? 0 : program.runs.size();
    }

    /** The work of such a job; null where no such program has completed. */
    @Nullable
    WorkEstimate estimate(Job job) {
        RunFeatures features = job.features();
        Program program = features.isKnown() ? programs.get(features.group()) : null;
        if (program == null) {
            return null;
        }
        if (program.estimates.size() > MAX_PROGRAMS) {
            program.estimates.clear();
        }
        return program.estimates.computeIfAbsent(Kind.of(job), each -> compute(each, program.runs));
    }

    private static WorkEstimate compute(Kind kind, Deque<Run> runs) {
        RunFeatures features = kind.features;
        double nearest = Double.MAX_VALUE;
        for (Run run : runs) {
            nearest = Math.min(nearest, kind.distance(run.kind));
        }
        OptionSlopes slopes = slopes(features, runs);
        List<WeighedRun> similar = new ArrayList<>();
        for (Run run : runs) {
            double weight = StrictMath.exp((nearest - kind.distance(run.kind)) / REACH);
            if (weight >= MIN_WEIGHT) {
                double scale = StrictMath.exp(slopes.difference(features, run.features()));
                similar.add(new WeighedRun(run, scale * run.workMillis / run.length(), weight));
            }
        }
        double before = nearest <= SAME ? fixedMillis(similar) : 0;
        List<WeighedRun> net = new ArrayList<>();
        for (WeighedRun each : similar) {
            double own = before > 0
                    ? Math.max(0, each.run.workMillis - before) / each.run.workMillis
                    : StrictMath.exp(slopes.lengthDifference(features, each.run.features()));
            net.add(new WeighedRun(each.run, each.perUnit * own, each.weight));
        }
        net.sort(Comparator.comparingDouble(WeighedRun::perUnit));
        double middle = middle(net);
        double decile = decile(net, middle, nearest);
        double units = features.length() * middle;
        return new WorkEstimate(Math.max(1, before + units), decile);
    }

    private static OptionSlopes slopes(RunFeatures features, Deque<Run> runs) {
        OptionSlopes.Fit fit = new OptionSlopes.Fit(features);
        runs.forEach(run -> fit.add(run.features(), StrictMath.log(run.workMillis / run.length())));
        return fit.slopes();
    }

    /** The logarithm between the median and the ninth decile: of the runs, and of what is assumed while they are few. */
    private static double decile(List<WeighedRun> sorted, double middle, double nearest) {
        double assumed = PRIOR_DECILE * (1 + Math.min(2, nearest));
        double squares = PRIOR_RUNS * assumed * assumed;
        double all = PRIOR_RUNS;
        for (WeighedRun each : sorted) {
            double off = 1.2816 * StrictMath.log(Math.max(1e-3, each.perUnit / middle));
            squares += each.weight * Math.min(off * off, MOST_DECILE * MOST_DECILE);
            all += each.weight;
        }
        return Math.max(LEAST_DECILE, Math.min(MOST_DECILE, Math.sqrt(squares / all)));
    }

    /**
     * What runs take whatever their length, by weighted least squares over relative errors; 0 while the lengths of runs with
     * the same options hardly differ.
     */
    private static double fixedMillis(List<WeighedRun> similar) {
        double least = Double.MAX_VALUE;
        double most = 0;
        double shortest = Double.MAX_VALUE;
        double w = 0;
        double wu = 0;
        double wy = 0;
        double wuu = 0;
        double wuy = 0;
        for (WeighedRun each : similar) {
            double work = each.run.workMillis;
            double units = each.run.length();
            shortest = Math.min(shortest, work);
            if (each.weight < StrictMath.exp(-SAME / REACH)) {
                continue;
            }
            double weight = each.weight / (work * work);
            least = Math.min(least, units);
            most = Math.max(most, units);
            w += weight;
            wu += weight * units;
            wy += weight * work;
            wuu += weight * units * units;
            wuy += weight * units * work;
        }
        double determinant = w * wuu - wu * wu;
        if (most < MIN_LENGTH_RATIO * least || determinant <= 0) {
            return 0;
        }
        double slope = (w * wuy - wu * wy) / determinant;
        double fixed = (wy - slope * wu) / w;
        return slope <= 0 ? 0 : Math.max(0, Math.min(fixed, 0.9 * shortest));
    }

    private static double middle(List<WeighedRun> sorted) {
        double all = 0;
        for (WeighedRun each : sorted) {
            all += each.weight;
        }
        double passed = 0;
        for (WeighedRun each : sorted) {
            passed += each.weight;
            if (passed >= 0.5 * all) {
                return Math.max(1e-9, each.perUnit);
            }
        }
        return Math.max(1e-9, sorted.get(sorted.size() - 1).perUnit);
    }
}
