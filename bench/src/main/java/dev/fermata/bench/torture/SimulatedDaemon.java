package dev.fermata.bench.torture;

import dev.fermata.bench.torture.FaultPlan.Fault;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.SnapshotCodec;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The process of the daemon: its real scheduler loop and service, killed and started again. Everything in memory is lost with
 * it. It does one thing at a time, as the thread of the loop does.
 */
final class SimulatedDaemon {
    private static final long EPOCH_MILLIS = 1_000_000_000L;
    /** Of all daemons: no law reads them, and to make them takes longer than a recovery. */
    private static final DaemonMetrics METRICS = new DaemonMetrics();

    private final VirtualTime time;
    private final FaultPlan faults;
    private final Chance chance;
    private final Trace trace;
    private final DurableRows rows;
    private final SimulatedSite site;
    private final PolicySpec policy;
    private final LoopSettings settings;
    private final boolean suspends;
    private Consumer<List<HistoryEntry>> onDurable = entries -> {};
    private Consumer<SchedulerLoop> afterStep = loop -> {};
    private long wallOffsetMillis = EPOCH_MILLIS;
    private @Nullable SchedulerLoop loop;
    private @Nullable SchedulerService service;
    private @Nullable FaultyEngine engine;
    private @Nullable SimulatedStore store;
    private MonotonicClock clock = new MonotonicClock();
    private boolean busy;
    private boolean stepPlanned;
    private long life;
    private int cycles;
    private int kills;
    /** The state of the scheduler that died, where it was durable to the last record. */
    private @Nullable String durableState;

    private @Nullable Topology topology;

    SimulatedDaemon(
            VirtualTime time,
            FaultPlan faults,
            Chance chance,
            Trace trace,
            DurableRows rows,
            SimulatedSite site,
            String policy) {
        this.time = time;
        this.faults = faults;
        this.chance = chance;
        this.trace = trace;
        this.rows = rows;
        this.site = site;
        this.policy = PolicySpec.parse(policy);
        this.suspends = chance.oneIn(2);
        this.settings = LoopSettings.DEFAULT
                .withGuard(GuardMode.FULL)
                .withSnapshotEveryEntries((int) chance.logUniform(3, 500))
                .withNodeLoss(chance.oneIn(2) ? chance.logUniform(30_000, 3_600_000) : 0)
                .withProfileWait(chance.oneIn(4) ? LoopSettings.PROFILE_WAIT_MILLIS : 0);
    }

    /** Everything that becomes durable is passed to the first, the loop after each step to the second. */
    void observe(Consumer<List<HistoryEntry>> durable, Consumer<SchedulerLoop> step) {
        onDurable = durable;
        afterStep = step;
    }

    @Nullable
    SchedulerService service() {
        return service;
    }

    @Nullable
    FaultyEngine engine() {
        return engine;
    }

    boolean isUp() {
        return loop != null;
    }

    boolean isBusy() {
        return busy;
    }

    int cycles() {
        return cycles;
    }

    int kills() {
        return kills;
    }

    /** Sets the wall clock forward, or back. */
    void stepClock(long millis) {
        trace.add("world", "the clock is set by " + millis + " ms");
        wallOffsetMillis = Math.max(EPOCH_MILLIS / 2, wallOffsetMillis + millis);
    }

    // ---- life and death ----

    void start() {
        if (loop != null) {
            return;
        }
        trace.add("daemon", "starts");
        SimulatedStore own =
                new SimulatedStore(rows, time, faults, chance, trace, entries -> onDurable.accept(entries));
        FaultyEngine link = new FaultyEngine(suspends, site, time, faults, chance, trace);
        clock = new MonotonicClock(() -> time.nowMillis() + wallOffsetMillis, () -> time.nowMillis() * 1_000_000);
        SchedulerLoop started = new SchedulerLoop(own, link, policy, settings, false, clock, METRICS);
        store = own;
        engine = link;
        life++;
        try {
            if (faults.happens(Fault.KILLED_AT_RECOVERY)) {
                throw new DaemonKilled("during recovery");
            }
            started.lead();
        } catch (StoreException e) {
            trace.add("daemon", "stops: " + e.getMessage());
            discard();
            time.after(5_000, this::start);
            return;
        } catch (DaemonKilled e) {
            died(e);
            return;
        }
        checkRecovered(started);
        loop = started;
        service = new DefaultSchedulerService(started);
        stepPlanned = false;
        planStep();
    }

    /** A rebuilt state equals the one that died. */
    private void checkRecovered(SchedulerLoop recovered) {
        String before = durableState;
        durableState = null;
        if (before != null && recovered.status().topology().equals(topology)) {
            String after = SnapshotCodec.encode(recovered.cycle().scheduler.snapshot());
            BrokenLaw.require(
                    before.equals(after),
                    "a rebuilt state equals the living one",
                    () -> before + "\n  became\n" + after);
        }
    }

    void kill(String why) {
        if (loop == null) {
            return;
        }
        if (busy) { // in a call to the store, which never returns
            Objects.requireNonNull(store).kill();
            return;
        }
        if (!loop.isCommitPending() && cycles > 0) {
            durableState = SnapshotCodec.encode(loop.cycle().scheduler.snapshot());
            topology = loop.status().topology();
        }
        died(new DaemonKilled(why));
    }

    private void died(DaemonKilled how) {
        kills++;
        trace.add("daemon", "is killed " + how.getMessage());
        discard();
        long down = faults.isHealed() ? 100 : chance.logUniform(10, chance.oneIn(10) ? 3_600_000 : 60_000);
        time.after(down, this::start);
    }

    private void discard() {
        FaultyEngine link = engine;
        if (link != null) {
            link.close();
        }
        loop = null;
        service = null;
        engine = null;
        store = null;
        life++;
    }

    // ---- steps ----

    /** Plans the next step, if something has arrived. */
    void poke() {
        SchedulerLoop current = loop;
        if (current != null && !busy && !stepPlanned && current.inbox.size() > 0 && !current.isCommitPending()) {
            stepPlanned = true;
            long mine = life;
            time.after(chance.oneIn(3) ? chance.logUniform(1, 2_000) : 0, () -> step(mine));
        }
    }

    private void planStep() {
        SchedulerLoop current = loop;
        if (current != null) {
            long due = current.wakeAtMillis();
            long mine = life;
            long planned = cycles;
            if (due < Long.MAX_VALUE / 8) {
                time.after(Math.max(0, due - clock.read()), () -> {
                    if (cycles == planned || life != mine) {
                        step(mine);
                    }
                });
            }
        }
    }

    private void step(long ofLife) {
        SchedulerLoop current = loop;
        if (ofLife != life || current == null || busy) {
            return;
        }
        stepPlanned = false;
        busy = true;
        cycles++;
        try {
            current.runCycle(clock.read());
        } catch (DaemonKilled e) {
            busy = false;
            died(e);
            return;
        } finally {
            busy = false;
        }
        afterStep.accept(current);
        planStep();
    }
}
