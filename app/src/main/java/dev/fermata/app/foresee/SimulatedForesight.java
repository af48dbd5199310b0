package dev.fermata.app.foresee;

import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.foresee.Guess;
import dev.fermata.live.foresee.Sketch;
import dev.fermata.sim.forecast.Arrival;
import dev.fermata.sim.forecast.Belief;
import dev.fermata.sim.forecast.LiveState;
import dev.fermata.sim.forecast.StartForecast;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plays on from a sketch in the simulator, with the daemon's policy, in as many ways as there is time for. */
public final class SimulatedForesight implements Foresight {
    private static final int MOST_SCENARIOS = 29;
    private static final int LEAST_SCENARIOS = 9;
    /** Jobs times scenarios that one forecast plays: more jobs are looked at in fewer ways. */
    private static final int JOBS_PLAYED = 24_000;

    private final boolean arrivals;

    public SimulatedForesight() {
        this(true);
    }

    /** @param arrivals whether others like those who came of late are expected to come */
    public SimulatedForesight(boolean arrivals) {
        this.arrivals = arrivals;
    }

    private static Belief belief(Guess guess) {
        return new Belief(
                guess.doneMillis(),
                guess.remainingMillis(),
                guess.p10Millis(),
                guess.p90Millis(),
                guess.outlook(),
                guess.costs());
    }

    @Override
    public Map<Long, ExpectedStart> foresee(Sketch sketch) {
        Map<Long, Belief> beliefs = new HashMap<>();
        sketch.guesses().forEach((id, guess) -> beliefs.put(id, belief(guess)));
        List<Arrival> recent = new ArrayList<>();
        if (arrivals) {
            sketch.recent()
                    .forEach(came -> recent.add(new Arrival(came.job(), belief(came.guess()), came.agoMillis())));
        }
        LiveState state = new LiveState(
                sketch.topology(),
                sketch.policy(),
                sketch.image(),
                sketch.policysPast(),
                beliefs,
                sketch.newcomers(),
                recent,
                sketch.nowMillis());
        Map<Long, ExpectedStart> starts = new HashMap<>();
        for (dev.fermata.sim.forecast.ExpectedStart start : StartForecast.of(state, scenarios(beliefs.size()))) {
            starts.put(start.jobId(), told(start, sketch.nowMillis()));
        }
        return starts;
    }

    private static int scenarios(int liveJobs) {
        return Math.min(MOST_SCENARIOS, Math.max(LEAST_SCENARIOS, JOBS_PLAYED / Math.max(1, liveJobs)));
    }

    private static ExpectedStart told(dev.fermata.sim.forecast.ExpectedStart start, long now) {
        long p50 = start.quantileMillis(0.5);
        long p90 = start.quantileMillis(0.9);
        int started = start.startsMillis().size();
        long days = StartForecast.HORIZON_MILLIS / 86_400_000;
        String note = "";
        if (started == 0) {
            note = "it does not start within " + days + " days";
        } else if (p90 == dev.fermata.sim.forecast.ExpectedStart.NEVER) {
            note = "it starts within " + days + " days in " + started + " of " + start.scenarios()
                    + " simulated futures";
        }
        return new ExpectedStart(
                now,
                known(p50),
                known(p90),
                start.scenarios(),
                start.pausing(),
                start.victims(),
                start.gainMillis(),
                start.costMillis(),
                note);
    }

    private static long known(long millis) {
        return millis == dev.fermata.sim.forecast.ExpectedStart.NEVER ? ExpectedStart.UNKNOWN : millis;
    }
}
