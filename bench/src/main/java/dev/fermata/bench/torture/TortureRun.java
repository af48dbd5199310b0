package dev.fermata.bench.torture;

import dev.fermata.core.policy.PolicyCatalogue;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One seed: a cluster, its users, a daemon, and faults for a while; then everything heals and every job must end. */
public final class TortureRun {
    private static final long MAX_STEPS = 200_000;
    private static final long HEALING_MILLIS = 60L * 24 * 3_600_000;

    private final long seed;
    private final VirtualTime time = new VirtualTime();
    private final Chance chance;
    private final FaultPlan faults;
    private final Trace trace;
    private final DurableRows rows = new DurableRows();
    private final SimulatedSite site;
    private final SimulatedDaemon daemon;
    private final Clients clients;
    private final HistoryLaws history;
    private final StateLaws laws;
    private final MachineTrouble trouble;
    private final String policy;
    private long steps;

    /**
     * What became of a seed.
     *
     * @param law the broken law; null where none is
     * @param digest of the whole trace
     */
    public record Result(
            long seed,
            long steps,
            @Nullable String law,
            String details,
            List<String> tail,
            String digest,
            Counts counts) {}

    /** What happened in a run. */
    public record Counts(int jobs, int attempts, int preemptions, int kills, int entries, long hours) {}

    /** The law that this seed breaks, null for none. */
    public static @Nullable String brokenLaw(long seed) {
        return run(seed, line -> {}).law();
    }

    private TortureRun(long seed, Consumer<String> listener) {
        this.seed = seed;
        chance = new Chance(new SplittableRandom(seed));
        faults = new FaultPlan(chance.random().split());
        trace = new Trace(time, listener);
        policy = chance.oneIn(2) ? "fermata" : chance.of(PolicyCatalogue.names());
        site = new SimulatedSite(time, faults, trace, chance.split(), rows);
        trouble = new MachineTrouble(time, faults, chance.split(), site);
        daemon = new SimulatedDaemon(time, faults, chance.split(), trace, rows, site, policy);
        int largest = site.topology().gpuCount();
        clients = new Clients(time, faults, chance.split(), trace, site, daemon::service, largest);
        history = new HistoryLaws(clients::cancelled, site.topology(), time::nowMillis);
        laws = new StateLaws(rows, site, history, clients);
        daemon.observe(history::accept, laws::check);
    }

    /** Runs a seed; every line of its trace is passed on. */
    public static Result run(long seed, Consumer<String> listener) {
        return new TortureRun(seed, listener).run();
    }

    private Result run() {
        trace.add("world", "seed " + seed + ", policy " + policy + ", machines " + site.machines());
        try {
            daemon.start();
            long troubleMillis = chance.logUniform(600_000, 14_400_000);
            planTrouble(troubleMillis);
            time.after(troubleMillis, this::heal);
            while (!faults.isHealed()) {
                step();
            }
            history.expectProgress();
            long deadline = time.nowMillis() + HEALING_MILLIS;
            while (!isDone()) {
                BrokenLaw.require(
                        time.nowMillis() <= deadline,
                        "everything feasible ends",
                        () -> "jobs " + history.liveJobs() + " are left");
                step();
            }
            laws.checkEnd();
            return result(null, "");
        } catch (BrokenLaw e) {
            return result(e.law, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            StringWriter stack = new StringWriter();
            e.printStackTrace(new PrintWriter(stack));
            return result("the scheduler loop never fails", stack.toString());
        }
    }

    private Result result(@Nullable String law, String details) {
        Counts counts = new Counts(
                rows.jobs().size(),
                history.started(),
                history.preempted(),
                daemon.kills(),
                rows.entries(),
                time.nowMillis() / 3_600_000);
        return new Result(seed, steps, law, details, trace.tail(), trace.digest(), counts);
    }

    private void step() {
        steps++;
        BrokenLaw.require(
                steps <= MAX_STEPS, "time goes on", () -> "step " + steps + " at " + time.nowMillis() + " ms");
        BrokenLaw.require(time.runNext(), "something is always planned until all has ended", () -> history.liveJobs());
        daemon.poke();
    }

    private boolean isDone() {
        return daemon.isUp() && history.liveJobs().isEmpty() && !clients.isWaiting();
    }

    // ---- trouble ----

    private void planTrouble(long millis) {
        long everyMillis = chance.logUniform(5_000, 240_000);
        repeat(everyMillis, clients::act);
        if (chance.oneIn(2)) {
            repeat(chance.logUniform(60_000, millis), () -> daemon.kill("by a signal"));
        }
        if (chance.oneIn(2)) {
            repeat(chance.logUniform(120_000, millis), this::disconnect);
        }
        if (!chance.oneIn(3)) {
            repeat(chance.logUniform(30_000, millis), trouble::act);
        }
        if (chance.oneIn(3)) {
            repeat(
                    chance.logUniform(120_000, millis),
                    () -> daemon.stepClock((chance.oneIn(2) ? 1 : -1) * chance.logUniform(1_000, 7_200_000)));
        }
    }

    /** Again and again until the world heals, about this often. */
    private void repeat(long meanMillis, Runnable what) {
        long wait = Math.max(1, Math.round(-StrictMath.log(1 - chance.random().nextDouble()) * meanMillis));
        time.after(wait, () -> {
            if (!faults.isHealed()) {
                what.run();
                repeat(meanMillis, what);
            }
        });
    }

    private void disconnect() {
        FaultyEngine engine = daemon.engine();
        if (engine != null) {
            engine.disconnect(chance.oneIn(2));
            time.after(chance.oneIn(5) ? 3_600_000 : chance.logUniform(500, 600_000), engine::reconnect);
        }
    }

    private void heal() {
        if (daemon.isBusy()) {
            time.after(1_000, this::heal);
            return;
        }
        trace.add("world", "heals");
        faults.heal();
        FaultyEngine engine = daemon.engine();
        if (engine != null) {
            engine.reconnect();
        }
        trouble.repairAll();
        if (chance.oneIn(4)) { // most daemons have to recover from what they know
            daemon.kill("for the last time");
        }
        releaseAll();
    }

    private void releaseAll() {
        clients.release(history.liveJobs());
        time.after(1_800_000, this::releaseAll);
    }
}
