package dev.fermata.bench.torture;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicyCatalogue;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
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
    private final List<NodeSpec> nodes = new ArrayList<>();
    private final TreeSet<String> vanished = new TreeSet<>();
    private final SimulatedSite site;
    private final SimulatedDaemon daemon;
    private final Clients clients;
    private final HistoryLaws history;
    private final StateLaws laws;
    private final String policy;
    private long steps;

    private record NodeSpec(String name, GpuType type, int gpus) {}

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

    private TortureRun(long seed, Consumer<String> listener) {
        this.seed = seed;
        chance = new Chance(new SplittableRandom(seed));
        faults = new FaultPlan(chance.random().split());
        trace = new Trace(time, listener);
        int count = 1 + chance.below(4);
        for (int node = 0; node < count; node++) {
            nodes.add(new NodeSpec(
                    "node" + node, new GpuType(chance.oneIn(4) ? "A100" : "H100", 81_920, 1.0), 1 + chance.below(4)));
        }
        policy = chance.oneIn(2) ? "fermata" : chance.of(PolicyCatalogue.names());
        site = new SimulatedSite(
                time,
                faults,
                trace,
                chance.split(),
                nodes.stream().map(NodeSpec::name).toList());
        daemon = new SimulatedDaemon(time, faults, chance.split(), trace, rows, site, policy, this::present);
        int largest = nodes.stream().mapToInt(NodeSpec::gpus).sum();
        clients = new Clients(time, faults, chance.split(), trace, site, daemon::service, largest, count);
        history = new HistoryLaws(clients::cancelled, present());
        laws = new StateLaws(rows, site, history, clients);
        daemon.observe(history::accept, laws::check);
    }

    /** Runs a seed; every line of its trace is passed on. */
    public static Result run(long seed, Consumer<String> listener) {
        return new TortureRun(seed, listener).run();
    }

    private Topology present() {
        Topology.Builder builder = Topology.builder();
        nodes.stream()
                .filter(node -> !vanished.contains(node.name()))
                .forEach(node -> builder.node(node.name(), node.type(), node.gpus(), Node.UNLIMITED, Node.UNLIMITED));
        return builder.build();
    }

    private Result run() {
        trace.add("world", "seed " + seed + ", policy " + policy + ", nodes " + nodes);
        try {
            daemon.start();
            long troubleMillis = chance.logUniform(600_000, 14_400_000);
            planTrouble(troubleMillis);
            time.after(troubleMillis, this::heal);
            while (!faults.isHealed()) {
                step();
            }
            long deadline = time.nowMillis() + HEALING_MILLIS;
            while (!isDone()) {
                if (time.nowMillis() > deadline || steps > MAX_STEPS) {
                    throw new BrokenLaw("everything feasible ends", "jobs " + history.liveJobs() + " are left");
                }
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
        if (chance.oneIn(2)) {
            repeat(chance.logUniform(120_000, millis), this::failNode);
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

    /** A node fails; when it comes back, a daemon that starts meanwhile may not even see it. */
    private void failNode() {
        String node = chance.of(site.nodeNames());
        setNodeUp(node, false);
        if (chance.oneIn(2) && vanished.size() < nodes.size() - 1) {
            vanished.add(node);
        }
        time.after(chance.logUniform(1_000, 1_800_000), () -> {
            vanished.remove(node);
            setNodeUp(node, true);
        });
    }

    private void setNodeUp(String node, boolean up) {
        FaultyEngine engine = daemon.engine();
        site.setNodeUp(node, up, engine == null ? present() : engine.cluster());
    }

    private void heal() {
        if (daemon.isBusy()) {
            time.after(1_000, this::heal);
            return;
        }
        trace.add("world", "heals");
        faults.heal();
        vanished.clear();
        FaultyEngine engine = daemon.engine();
        if (engine != null) {
            engine.reconnect();
        }
        site.nodeNames().forEach(node -> setNodeUp(node, true));
        daemon.kill("for the last time"); // the next one finds the whole cluster
        releaseAll();
    }

    private void releaseAll() {
        clients.release(history.liveJobs());
        time.after(1_800_000, this::releaseAll);
    }
}
