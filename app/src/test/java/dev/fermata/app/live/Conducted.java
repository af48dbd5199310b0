package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.app.bench.PlayedEngine;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Wishes led through the daemon's conductor, on a real store and with a clock turned by hand. */
public final class Conducted {
    private static final int MOST_TURNS = 20_000;

    private final Wishes wishes;
    private final String policy;
    private final ConductorSettings settings;

    Conducted(Wishes wishes, String policy, ConductorSettings settings) {
        this.wishes = wishes;
        this.policy = policy;
        this.settings = settings;
    }

    /**
     * The lines that the store has in the end.
     *
     * @param killEvery the conductor is dropped and another one made after so many turns
     */
    List<Line> history(Path folder, int killEvery) throws InterruptedException {
        SimulatedEngine cluster = new SimulatedEngine(wishes.topology, Faults.none(wishes.topology));
        PlayedEngine engine = new PlayedEngine(wishes.topology, cluster);
        FactLines facts = new FactLines(wishes.topology);
        Actor ann = new Actor(Wishes.USER, "USER", "");
        try (Store store = Stores.open("sqlite", folder)) {
            Conductor conductor = lead(store, engine);
            int next = 0;
            int arrived = 0;
            int live = 0;
            long now = 0;
            long wake = Plan.NEVER;
            long seen = 0;
            for (int turns = 1; next < wishes.wishes.size() || live > 0; turns++) {
                long arrival =
                        next < wishes.wishes.size() ? wishes.wishes.get(next).atMillis() : Plan.NEVER;
                long due = Math.min(Math.min(arrival, cluster.nextMillis()), wake);
                assertThat(due)
                        .as("something must happen, %s jobs are live", live)
                        .isLessThan(Plan.NEVER);
                assertThat(turns)
                        .as("turns, with %s jobs live at %s", live, now)
                        .isLessThan(MOST_TURNS);
                now = Math.max(now, due);
                if (turns % killEvery == 0) {
                    conductor = lead(store, engine);
                }
                engine.play(now);
                List<CompletableFuture<List<Long>>> answers = new ArrayList<>();
                while (next < wishes.wishes.size() && wishes.wishes.get(next).atMillis() <= now) {
                    Wishes.Wish wish = wishes.wishes.get(next++);
                    for (int i = 0; i < wish.specs().size(); i++) {
                        cluster.arrive(wishes.jobs.get(arrived++));
                        live++;
                    }
                    answers.add(conductor.desk().submit(ann, wish.specs(), null));
                }
                wake = conductor.turn(now);
                answers.forEach(CompletableFuture::join);
                for (Line line : after(store, seen)) {
                    seen++;
                    Fact fact = facts.fact(line).orElseThrow();
                    if (ends(fact)) {
                        cluster.forget(fact.jobId());
                        live--;
                    }
                }
            }
            return after(store, 0);
        }
    }

    private Conductor lead(Store store, PlayedEngine engine) {
        Conductor conductor = new Conductor(
                store, engine, PolicySpec.parse(policy), settings, false, new SteadyClock(), new Meters());
        assertThat(conductor.lead()).isTrue();
        return conductor;
    }

    private static List<Line> after(Store store, long seq) {
        List<Line> history = new ArrayList<>();
        long from = seq;
        Page<Line> page;
        do {
            page = store.reader().lines(new LineQuery(from, 0, -1, "", Set.of(), 5000));
            for (Line line : page.rows()) {
                history.add(line);
                from = line.seq();
            }
        } while (page.more());
        return history;
    }

    private static boolean ends(Fact fact) {
        return fact instanceof Fact.Refused
                || fact instanceof Fact.Ended
                || (fact instanceof Fact.Left left && left.next().isFinal());
    }
}
