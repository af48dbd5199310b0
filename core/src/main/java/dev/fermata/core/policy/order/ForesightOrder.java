package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.queue.Rank;
import dev.fermata.core.policy.tune.Lifetimes;

/**
 * Least remaining work times the square root of its GPUs first, as far as it can be known: between SRTF, which is best
 * where gangs are large against the cluster, and SRSF, which is best where they are small. Where estimates proved wrong,
 * what is left is judged from how jobs of the same age, measured in their estimates, went on ({@link Lifetimes}).
 */
public final class ForesightOrder implements Order {
    /** Levels of a priority: whoever waited far too long, whoever waited too long, trials, everybody else. */
    private static final int LEVELS = 4;

    private static final int STARVED = 0;
    private static final int OVERDUE = 1;
    private static final int TRIAL = 2;
    private static final int NORMAL = 3;
    /** Whoever is overdue for so long, and twice over, is starved. */
    private static final long STARVING_MILLIS = 3_600_000;

    /** Shorter jobs are taken to be this long when their waiting is judged. */
    private static final long SHORTEST_MILLIS = 60_000;

    private static final double DOUBT = 4;

    private final boolean trialsFirst;
    private final double mostSlowdown;
    private final Lifetimes lifetimes = new Lifetimes();
    private final ShortestOrder trusting = new ShortestOrder(0.5);
    /** What each live job was expected to need in all when it was first seen, or its user last said how long it takes. */
    private final LongMap<Expected> expected = new LongMap<>();

    /**
     * @param trialsFirst trial jobs go before all others of their priority
     * @param mostSlowdown a job that waited this many times as long as it was expected to run, times the root of its GPUs,
     *     goes before all others, in order of arrival; if it still does not fit, in the end nobody overtakes it
     */
    public ForesightOrder(boolean trialsFirst, double mostSlowdown) {
        this.trialsFirst = trialsFirst;
        this.mostSlowdown = mostSlowdown;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int step = step(job, view);
        long next = nextStepMillis(job, view, step);
        return step <= OVERDUE
                ? new Rank(level(job, step), job.ticketMillis(), 0, next)
                : new Rank(level(job, step), service(job, view), 0, next);
    }

    @Override
    public Rank running(JobView job, View view) {
        int step = step(job, view);
        if (step <= OVERDUE) {
            return Rank.fixed(level(job, step), job.ticketMillis());
        }
        Outlook outlook = view.outlook(job);
        if (outlook != null && outlook.certain()) {
            return ShortestOrder.sinking(
                    level(job, step), outlook.workPerEndMillis(), serviceWeight(job, view), job, view);
        }
        if (outlook != null) {
            return new Rank(level(job, step), service(job, view), 0, Order.outlookEndMillis(job, view, outlook));
        }
        if (lifetimes.exact()) {
            Rank rank = trusting.running(job, view);
            return new Rank(level(job, step), rank.base(), rank.slope(), rank.rekeyAtMillis());
        }
        double whole = expect(job, view);
        double age = oldest(job, view) / whole;
        double next = lifetimes.nextStep(age) * whole - job.doneWorkMillis(view.nowMillis());
        long rekeyAt = Order.afterWorkMillis(job, view, next);
        return new Rank(level(job, step), service(job, view), 0, rekeyAt);
    }

    /** How urgent a job is, the same whether it waits or runs: else it would be paused for whom it was paused before. */
    private int step(JobView job, View view) {
        double waited = (double) view.nowMillis() - job.ticketMillis() - job.attainedMillis(view.nowMillis());
        double allowed = allowedMillis(job, view);
        if (waited >= allowed) {
            return waited >= starvingMillis(allowed) ? STARVED : OVERDUE;
        }
        return trialsFirst && job.job().jobClass() == JobClass.TRIAL ? TRIAL : NORMAL;
    }

    /** When a job that goes on waiting becomes more urgent. */
    private long nextStepMillis(JobView job, View view, int step) {
        if (step == STARVED) {
            return Plan.NEVER;
        }
        double allowed = allowedMillis(job, view);
        double limit = step == OVERDUE ? starvingMillis(allowed) : allowed;
        return limit > FOREVER_MILLIS
                ? Plan.NEVER
                : job.ticketMillis() + job.attainedMillis(view.nowMillis()) + (long) Math.ceil(limit);
    }

    private static double starvingMillis(double allowed) {
        return Math.max(2 * allowed, allowed + STARVING_MILLIS);
    }

    /** Where expectations proved wrong they are a poor measure of how long is too long: it takes more to be overdue. */
    private double allowedMillis(JobView job, View view) {
        Outlook outlook = view.outlook(job);
        if (outlook != null) {
            return DOUBT
                    * mostSlowdown
                    * StrictMath.sqrt(job.job().demand().maxGpus())
                    * Math.max(SHORTEST_MILLIS, outlook.meanMillis());
        }
        double most = lifetimes.exact() ? mostSlowdown : DOUBT * mostSlowdown;
        return most * StrictMath.sqrt(job.job().demand().maxGpus()) * Math.max(SHORTEST_MILLIS, expect(job, view));
    }

    @Override
    public boolean holdsBack(Rank rank) {
        return Math.floorMod(rank.level(), LEVELS) == STARVED;
    }

    private static int level(JobView job, int step) {
        return LEVELS * Order.level(job) + step;
    }

    private long service(JobView job, View view) {
        long weight = view.outlook(job) == null ? trusting.weight(job) : serviceWeight(job, view);
        return remainingMillis(job, view) * ShortestOrder.UNIT * weight;
    }

    /**
     * How many times the work of a gang counts. It is counted in GPU-time while the gang is small against the cluster, and the
     * more in time the more of it the gang takes: one that needs all of it waits for all others, whatever its size. Powers
     * of two, as uncertain outlooks are: jobs about as good as each other are not paused for each other. In the measure of those of
     * whom a number is known: both kinds may wait in one queue.
     */
    private static long serviceWeight(JobView job, View view) {
        double share = 1 + (double) job.gpus() / view.topology().gpuCount();
        double weight = job.gpus() / (share * share);
        return ShortestOrder.FINE << Math.max(0, Math.round(StrictMath.log(weight) / StrictMath.log(2)));
    }

    @Override
    public long remainingMillis(JobView job, View view) {
        Outlook outlook = view.outlook(job);
        if (outlook != null) {
            return outlook.workPerEndMillis();
        }
        if (lifetimes.exact()) {
            return view.remainingMillis(job);
        }
        double whole = expect(job, view);
        double age = oldest(job, view) / whole;
        return Math.max(1, Math.round(Math.min(FOREVER_MILLIS, lifetimes.remaining(age) * whole)));
    }

    @Override
    public Outlook.Stint stint(JobView job, View view, double worthMillis) {
        Outlook outlook = view.outlook(job);
        return outlook == null ? Order.super.stint(job, view, worthMillis) : outlook.stint(worthMillis);
    }

    /** Work that was lost has still shown that the job does not end in it. */
    private static long oldest(JobView job, View view) {
        return Math.max(job.mostWorkMillis(), job.doneWorkMillis(view.nowMillis()));
    }

    private record Expected(long declaredMillis, long wholeMillis) {}

    /** Asked anew only where its user says something else: in the midst of an attempt nobody knows quite how far it is. */
    private long expect(JobView job, View view) {
        long declared = job.job().declaredMillis();
        Expected known = expected.get(job.id());
        if (known == null || known.declaredMillis != declared) {
            known = new Expected(declared, view.remainingMillis(job) + job.doneWorkMillis(view.nowMillis()));
            expected.put(job.id(), known);
        }
        return known.wholeMillis;
    }

    @Override
    public boolean ended(JobView job, View view) {
        Expected whole = expected.remove(job.id());
        if (whole == null || job.state() != JobState.COMPLETED) {
            return false;
        }
        return lifetimes.learn((double) job.doneWorkMillis(view.nowMillis()) / whole.wholeMillis);
    }
}
