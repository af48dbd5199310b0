package dev.fermata.sim.forecast;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * When the jobs that wait now will start: the live state is continued by the simulator, with the policy that decides live, in
 * several scenarios that differ in how long each job still runs and in who else comes. The same state gives the same answer.
 */
public final class StartForecast {
    /** Whoever does not start within this is not said to start at all: 90 days. */
    public static final long HORIZON_MILLIS = 90L * 86_400_000;

    private static final int TURNS_PER_JOB = 40;
    private static final int LEAST_TURNS = 20_000;
    /** Jobs times scenarios that are played at the same time, each with books of its own: there may be no memory for more. */
    private static final int AT_ONCE = 24_000;

    private static final long SEED = 1;
    /** Streams of chance beyond those of jobs. */
    private static final long ARRIVALS = 1L << 51;

    private final LiveState state;
    private final int scenarios;
    private final List<Long> wanted;
    private final LongMap<double[]> places = new LongMap<>();

    private StartForecast(LiveState state, int scenarios) {
        this.state = state;
        this.scenarios = scenarios;
        this.wanted = waiting(state);
        Futures futures = new Futures(SEED, scenarios);
        for (LedgerImage.Page page : state.image().jobs()) {
            places.put(page.job().id(), futures.of(page.job().id()));
        }
        for (Job job : state.newcomers()) {
            places.put(job.id(), futures.of(job.id()));
        }
    }

    /** Every job that waits and is not on hold, with when it starts. */
    public static List<ExpectedStart> of(LiveState state, int scenarios) {
        if (scenarios < 1) {
            throw new IllegalArgumentException("scenarios (" + scenarios + ") must be at least 1");
        }
        return new StartForecast(state, scenarios).look();
    }

    private static List<Long> waiting(LiveState state) {
        List<Long> waiting = new ArrayList<>();
        for (LedgerImage.Page page : state.image().jobs()) {
            if (page.state() == JobState.PENDING && !page.onHold()) {
                waiting.add(page.job().id());
            }
        }
        state.newcomers().forEach(job -> waiting.add(job.id()));
        return waiting;
    }

    private List<ExpectedStart> look() {
        if (wanted.isEmpty()) {
            return List.of();
        }
        int live = state.image().jobs().size() + state.newcomers().size();
        int together = Math.max(1, AT_ONCE / live);
        List<Scenario> played = new ArrayList<>();
        for (int first = 0; first < scenarios; first += together) {
            IntStream.range(first, Math.min(scenarios, first + together))
                    .parallel() // no scenario knows of another
                    .mapToObj(scenario -> play(scenario, LEAST_TURNS + TURNS_PER_JOB * live))
                    .forEachOrdered(played::add);
        }
        return wanted.stream().map(id -> judge(id, played)).toList();
    }

    private Scenario play(int scenario, int mostTurns) {
        return Scenario.play(
                state,
                wanted,
                job -> whole(job, scenario),
                newcomers(scenario),
                state.nowMillis() + HORIZON_MILLIS,
                mostTurns);
    }

    private List<Newcomer> newcomers(int scenario) {
        List<Newcomer> all = new ArrayList<>(
                Newcomer.likeThoseOfLate(state.recent(), state.nowMillis(), Rng.stream(SEED, ARRIVALS + scenario)));
        for (Job job : state.newcomers()) {
            Belief belief = Objects.requireNonNull(state.beliefs().get(job.id()));
            all.add(new Newcomer(job, belief, state.nowMillis(), whole(job, scenario)));
        }
        return all;
    }

    private long whole(Job job, int scenario) {
        Belief belief = Objects.requireNonNull(state.beliefs().get(job.id()));
        return belief.wholeMillis(Objects.requireNonNull(places.get(job.id()))[scenario]);
    }

    private ExpectedStart judge(long id, List<Scenario> played) {
        long[] starts = new long[played.size()];
        int started = 0;
        int pausing = 0;
        long gain = 0;
        long cost = 0;
        Map<Long, Integer> victims = new TreeMap<>();
        for (Scenario scenario : played) {
            Scenario.Wait wait = scenario.of(id);
            if (wait.startMillis != ExpectedStart.NEVER) {
                starts[started++] = wait.startMillis;
            }
            if (!wait.victims.isEmpty()) {
                pausing++;
                gain += wait.gainMillis;
                cost += wait.costMillis;
                wait.victims.forEach(victim -> victims.merge(victim, 1, Integer::sum));
            }
        }
        Arrays.sort(starts, 0, started);
        return new ExpectedStart(
                id,
                Arrays.stream(starts, 0, started).boxed().toList(),
                played.size(),
                pausing,
                pausing == 0 ? 0 : gain / pausing,
                pausing == 0 ? 0 : cost / pausing,
                frequent(victims, pausing));
    }

    private static List<Long> frequent(Map<Long, Integer> victims, int pausing) {
        return victims.entrySet().stream()
                .filter(victim -> 2 * victim.getValue() >= pausing)
                .sorted(Map.Entry.<Long, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
