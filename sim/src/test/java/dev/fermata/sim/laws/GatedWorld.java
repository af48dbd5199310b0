package dev.fermata.sim.laws;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Trial;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A world whose jobs wait for each other, come in arrays, are of kinds that nobody has seen, and stand in queues whose rules change now and then. */
final class GatedWorld {
    private static final List<String> QUEUES =
            List.of("research", "research/nlp", "research/cv", "product", "product/ads", "guests", "research/nlp/big");
    private static final After.Wanted[] ENDS = After.Wanted.values();

    private GatedWorld() {}

    static World of(long seed) {
        return gated(World.of(seed), true);
    }

    /** Without limits, dependencies and arrays: all that keeps anybody back is his share. */
    static World shared(long seed) {
        return gated(World.plain(seed), false);
    }

    private static World gated(World world, boolean everything) {
        Rng rng = Rng.stream(world.seed(), 80);
        Rng kinds = Rng.stream(world.seed(), 81);
        List<World.Wish> wishes = new ArrayList<>();
        Map<Long, Job> gated = new TreeMap<>();
        List<TrueJob> jobs = new ArrayList<>();
        Bundle array = Bundle.NONE;
        int left = 0;
        for (TrueJob plain : world.workload().jobs()) {
            Job.Builder job = plain.job().toBuilder(plain.job().id()).queue(QUEUES.get(rng.below(QUEUES.size())));
            if (everything && left == 0 && rng.uniform() < 0.1) {
                left = 3 + rng.below(6);
                array = new Bundle(plain.job().id(), 0, 1 + rng.below(3));
            }
            if (left > 0) {
                job.bundle(new Bundle(array.id(), (int) (plain.job().id() - array.id()), array.atMost()));
                left--;
            }
            if (everything && rng.uniform() < 0.2) {
                job.after(earlier(plain.job().id(), rng));
            }
            if (everything && kinds.uniform() < 0.4) {
                job.trial(new Trial(1 + kinds.below(3), 1 + kinds.below(400_000)));
                wishes.add(new World.Wish(
                        plain.submitMillis() + kinds.below(600_000),
                        new Event.Profiled(plain.job().id(), 1 + kinds.below(2))));
            }
            gated.put(plain.job().id(), job.build());
            jobs.add(new TrueJob(
                    job.build(), plain.submitMillis(), plain.durationMillis(), plain.peakMemoryMib(), plain.costs()));
        }
        long end = jobs.get(jobs.size() - 1).submitMillis();
        for (int i = rng.below(4); i >= 0; i--) {
            long at = i == 0 ? 0 : rng.below((int) Math.min(Integer.MAX_VALUE, end + 600_000));
            wishes.add(new World.Wish(at, new Event.QueuesSet(rules(world, rng, everything))));
        }
        for (World.Wish wish : world.wishes()) {
            wishes.add(
                    wish.event() instanceof Event.Changed e
                            ? new World.Wish(wish.atMillis(), changed(e, gated))
                            : wish);
        }
        wishes.sort(Comparator.comparingLong(World.Wish::atMillis));
        return new World(
                world.seed(),
                world.topology(),
                new Workload(world.workload().name(), jobs),
                world.estimator(),
                world.faults(),
                world.cancels(),
                wishes,
                world.hostLimits());
    }

    private static List<After> earlier(long id, Rng rng) {
        List<After> after = new ArrayList<>();
        for (int i = rng.below(3); i >= 0; i--) {
            long other = id - 4 + rng.below(6); // itself and later ones too, which count for nothing
            after.add(new After(Math.max(0, other), ENDS[rng.below(ENDS.length)]));
        }
        return after;
    }

    private static Event changed(Event.Changed event, Map<Long, Job> gated) {
        Job job = gated.get(event.job().id());
        return new Event.Changed(event.job().toBuilder(job.id())
                .after(job.after())
                .bundle(job.bundle())
                .build());
    }

    /** Guarantees of children within those of their parents; limits that the smallest gang of every world still meets. */
    private static List<QueueRule> rules(World world, Rng rng, boolean limits) {
        int gpus = world.topology().gpuCount();
        List<QueueRule> rules = new ArrayList<>();
        int left = gpus;
        for (String path : QUEUES) {
            boolean top = path.indexOf('/') < 0;
            if (rng.uniform() < 0.3) {
                continue;
            }
            int guarantee = top && rng.uniform() < 0.6 ? rng.below(left + 1) / 2 : 0;
            left -= guarantee;
            int limit =
                    limits && rng.uniform() < 0.5 ? Math.max(guarantee, 8 + rng.below(gpus + 1)) : QueueRule.NO_LIMIT;
            rules.add(new QueueRule(path, guarantee, limit, rng.uniform() < 0.5 ? 1 : 0.5 + 3 * rng.uniform()));
        }
        return rules;
    }
}
