package dev.fermata.sim.forecast;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** One way in which a live state may go on, played until everybody of interest has started. */
final class Scenario {
    /** What came of one waiting job. */
    static final class Wait {
        long startMillis = ExpectedStart.NEVER;
        long gainMillis;
        long costMillis;
        List<Long> victims = List.of();
    }

    private final LongMap<Wait> waits = new LongMap<>();
    private int open;
    private int turnsLeft;

    private Scenario(List<Long> wanted, int mostTurns) {
        for (long id : wanted) {
            waits.put(id, new Wait());
        }
        open = wanted.size();
        turnsLeft = mostTurns;
    }

    /**
     * @param wanted the waiting jobs that somebody asks about
     * @param wholeMillis the work that each job needs in all in this scenario
     * @param newcomers who comes in it
     */
    static Scenario play(
            LiveState state,
            List<Long> wanted,
            ToLongFunction<Job> wholeMillis,
            List<Newcomer> newcomers,
            long untilMillis,
            int mostTurns) {
        Scenario scenario = new Scenario(wanted, mostTurns);
        scenario.run(state, wholeMillis, newcomers, untilMillis);
        return scenario;
    }

    Wait of(long jobId) {
        return Objects.requireNonNull(waits.get(jobId));
    }

    private void run(LiveState state, ToLongFunction<Job> wholeMillis, List<Newcomer> newcomers, long untilMillis) {
        PolicySpec policy = state.policy();
        Scheduler scheduler = new Scheduler(
                state.topology(),
                policy.create(),
                new Believed(state.beliefs(), newcomers),
                GuardMode.PLAN,
                policy.memoryPromise(),
                policy.mixedGangs());
        scheduler.restore(state.image());
        scheduler.goOnFrom(state.policysPast());
        SimulatedEngine engine = new SimulatedEngine(state.topology(), Faults.none(state.topology()));
        for (LedgerImage.Page page : state.image().jobs()) {
            Job job = page.job();
            Belief belief = Objects.requireNonNull(state.beliefs().get(job.id()));
            engine.adopt(
                    truth(job, page.submittedMillis(), wholeMillis.applyAsLong(job), belief), page, state.nowMillis());
        }
        List<TrueJob> coming = new ArrayList<>();
        for (Newcomer one : newcomers) {
            coming.add(truth(one.job(), one.atMillis(), one.wholeMillis(), one.belief()));
        }
        new Simulation(new Workload("foreseen", coming), scheduler, engine, this::hear)
                .continuing(state.nowMillis(), untilMillis)
                .run(() -> open == 0 || turnsLeft-- <= 0);
    }

    private static TrueJob truth(Job job, long submitted, long wholeMillis, Belief belief) {
        return new TrueJob(
                job, Math.max(0, submitted), wholeMillis, job.demand().gpuMemoryMib(), belief.costs());
    }

    private void hear(long nowMillis, Fact fact) {
        if (fact instanceof Fact.Started started) {
            Wait wait = waits.get(started.jobId());
            if (wait != null && wait.startMillis == ExpectedStart.NEVER) {
                wait.startMillis = nowMillis;
                open--;
            }
        } else if (fact instanceof Fact.Pausing pausing) {
            Wait wait = waits.get(pausing.beneficiary());
            if (wait != null && wait.startMillis == ExpectedStart.NEVER) {
                wait.victims = wait.victims.isEmpty() ? new ArrayList<>() : wait.victims;
                wait.victims.add(pausing.jobId());
                wait.gainMillis = pausing.gainMillis();
                wait.costMillis = pausing.costMillis();
            }
        } else if (fact instanceof Fact.Ended ended && ended.state() != JobState.PENDING) {
            Wait wait = waits.get(ended.jobId());
            open -= wait != null && wait.startMillis == ExpectedStart.NEVER ? 1 : 0; // it never will
        }
    }
}
