package dev.fermata.core.measure;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows every pause, and every one that was declined, to its consequences: facts in, entries out. It asks nobody anything, so
 * a simulated run and a live history are judged by the same code. Of jobs that have ended it keeps nothing.
 */
public final class PreemptionLedger {
    /** GPU-time of saving, loading again and repeating; {@code other} is what no decision of the policy caused. */
    public record Spent(
            long pauseGpuMillis,
            long reloadGpuMillis,
            long lostGpuMillis,
            long otherOverheadGpuMillis,
            long otherLostGpuMillis) {}

    /** Notes about a job between its submission and its end. */
    private static final class Life {
        Job job;
        int gpus;
        long startedMillis;
        boolean ran;
        /** Time it made progress that was kept, over all attempts that left. */
        long usefulMillis;

        /** The pause in progress. */
        @Nullable
        Pause pausing;

        /** The last pause, while the attempt after it has not left: its load is not known before. */
        @Nullable
        Pause reloading;

        /** The last pause, until it is known when it made progress again. */
        @Nullable
        Pause away;

        /** The decision that promised it GPUs, and the one to which it owes those that it has. */
        @Nullable
        Decision promise;

        @Nullable
        Decision owed;

        /** Pauses of which it is not known yet how long the job still ran after them. */
        final List<Pause> pauses = new ArrayList<>(0);

        final List<Declined> declined = new ArrayList<>(0);

        Life(Job job) {
            this.job = job;
        }
    }

    private final Consumer<Preemption> closed;
    private final Consumer<Declined> over;
    private final LongMap<Life> lives = new LongMap<>();
    private final SortedMap<Long, Decision> open = new TreeMap<>();
    private final SortedMap<Long, Life> declining = new TreeMap<>();
    private @Nullable Decision current;
    private long pauseGpu;
    private long reloadGpu;
    private long lostGpu;
    private long otherOverheadGpu;
    private long otherLostGpu;

    /**
     * @param closed hears of each decision about which nothing more will be said
     * @param over hears of each that was declined, when the wait of that job is over
     */
    public PreemptionLedger(Consumer<Preemption> closed, Consumer<Declined> over) {
        this.closed = closed;
        this.over = over;
    }

    /** @param number of the line, ascending */
    public void accept(long number, long now, Fact fact) {
        if (fact instanceof Fact.Submitted f) {
            lives.put(f.jobId(), new Life(f.job()));
            return;
        }
        Life life = lives.get(fact.jobId());
        if (life == null) {
            return;
        }
        if (fact instanceof Fact.Changed f) {
            life.job = f.job();
        } else if (fact instanceof Fact.Started f) {
            started(now, life, f.allocation().size());
        } else if (fact instanceof Fact.Running) {
            life.ran = true;
            if (life.away != null) {
                life.away.back(now);
            }
        } else if (fact instanceof Fact.Pausing f) {
            pausing(number, now, life, f);
        } else if (fact instanceof Fact.Promised) {
            current = null; // whatever is paused from now on belongs to another decision
        } else if (fact instanceof Fact.Unpromised) {
            unpromised(life);
        } else if (fact instanceof Fact.Refrained f) {
            life.declined.add(declined(number, now, life.job, f));
            declining.put(fact.jobId(), life);
        } else if (fact instanceof Fact.Left f) {
            left(now, life, f.usage(), f.next().isFinal());
        } else if (fact instanceof Fact.Ended) {
            ended(now, life);
        }
    }

    private static Declined declined(long number, long now, Job job, Fact.Refrained fact) {
        return new Declined(
                number,
                now,
                job.id(),
                job.name(),
                job.demand().maxGpus(),
                fact.victims(),
                fact.gainMillis(),
                fact.costMillis(),
                -1,
                -1);
    }

    private void pausing(long number, long now, Life life, Fact.Pausing fact) {
        Life beneficiary = lives.get(fact.beneficiary());
        Life whom = beneficiary == null ? life : beneficiary;
        Decision decision = current;
        if (decision == null || decision.atMillis != now || decision.beneficiary.id() != whom.job.id()) {
            decision = new Decision(number, now, whom.job, fact.gainMillis(), fact.costMillis());
            current = decision;
            whom.promise = decision;
            open.put(number, decision);
        }
        Pause pause = new Pause(decision, life.job, fact.attempt(), life.gpus);
        decision.victims.add(pause);
        decision.open++;
        life.pausing = pause;
        life.pauses.add(pause);
    }

    private void started(long now, Life life, int gpus) {
        life.gpus = gpus;
        life.startedMillis = now;
        life.ran = false;
        Decision promise = life.promise;
        if (promise != null) {
            promise.startedMillis = now;
            promise.promised = false;
            promise.loading = true;
            life.owed = promise;
            life.promise = null;
        }
        waited(now, life, true);
    }

    private void unpromised(Life life) {
        Decision promise = life.promise;
        if (promise != null) {
            promise.promised = false;
            life.promise = null;
            closeIf(promise);
        }
    }

    /** Whatever was declined for it, it waits no longer. */
    private void waited(long now, Life life, boolean started) {
        if (!life.declined.isEmpty()) {
            for (Declined d : life.declined) {
                over.accept(new Declined(
                        d.number(),
                        d.atMillis(),
                        d.job(),
                        d.name(),
                        d.gpus(),
                        d.victims(),
                        d.expectedGainMillis(),
                        d.expectedCostMillis(),
                        started ? now : -1,
                        now));
            }
            life.declined.clear();
            declining.remove(life.job.id());
        }
    }

    private void left(long now, Life life, Usage usage, boolean forGood) {
        long load = usage.loadMillis() * life.gpus;
        Pause before = life.reloading;
        if (before != null) {
            before.reloadMillis = usage.loadMillis();
            before.reloadGpuMillis = load;
            reloadGpu += load;
            life.reloading = null;
        } else {
            otherOverheadGpu += load;
        }
        if (life.away != null && life.ran) {
            life.away.back(life.startedMillis + usage.loadMillis()); // a process may run before it has loaded
            life.away = null;
        }
        Decision owed = life.owed;
        if (owed != null) {
            owed.loadMillis = usage.loadMillis();
            owed.loading = false;
            life.owed = null;
            closeIf(owed);
        }
        life.usefulMillis += usage.usefulMillis();
        Pause pause = life.pausing;
        if (pause == null) {
            otherOverheadGpu += usage.pauseMillis() * life.gpus;
            otherLostGpu += usage.lostMillis() * life.gpus;
        } else {
            pause.leftMillis = now;
            pause.pauseMillis = usage.pauseMillis();
            pause.lostMillis = usage.lostMillis();
            pause.usefulMillis = life.usefulMillis + usage.lostMillis();
            pauseGpu += usage.pauseMillis() * life.gpus;
            lostGpu += usage.lostMillis() * life.gpus;
            life.pausing = null;
            life.reloading = pause;
            life.away = pause;
        }
        life.gpus = 0;
        if (forGood) {
            ended(now, life);
        }
    }

    private void ended(long now, Life life) {
        lives.remove(life.job.id());
        if (life.away != null) {
            life.away.back(now);
        }
        unpromised(life);
        waited(now, life, false);
        for (Pause pause : life.pauses) {
            pause.remainingMillis = Math.max(0, life.usefulMillis - pause.usefulMillis);
            pause.decision.open--;
            closeIf(pause.decision);
        }
    }

    private void closeIf(Decision decision) {
        if (decision.closed() && open.remove(decision.number) != null) {
            closed.accept(decision.preemption());
        }
    }

    /** The decisions about which more will be said, as far as is known, in their order. */
    public List<Preemption> open() {
        return open.values().stream().map(Decision::preemption).toList();
    }

    /** What was declined for jobs that still wait, by job. */
    public List<Declined> declined() {
        return declining.values().stream()
                .flatMap(life -> life.declined.stream())
                .toList();
    }

    public Spent spent() {
        return new Spent(pauseGpu, reloadGpu, lostGpu, otherOverheadGpu, otherLostGpu);
    }
}
