package dev.fermata.cli.prediction;

import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.insight.prediction.MonteCarloStartPredictor;
import dev.fermata.insight.prediction.StartDistribution;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.prediction.StartPredictor;
import java.util.HashMap;
import java.util.Map;

/** Predicts starts by simulating the daemon's policy from a snapshot, in as many scenarios as there is time for. */
public final class SimulatedStartPredictor implements StartPredictor {
    private static final int MAX_SCENARIOS = 29;
    private static final int MIN_SCENARIOS = 9;
    /** Jobs times scenarios of one prediction: more jobs are simulated in fewer scenarios. */
    private static final int JOB_BUDGET = 24_000;

    private final boolean arrivals;

    public SimulatedStartPredictor() {
        this(true);
    }

    /** @param arrivals whether further jobs like the recent ones are expected */
    public SimulatedStartPredictor(boolean arrivals) {
        this.arrivals = arrivals;
    }

    @Override
    public Map<Long, StartPrediction> predict(ClusterSnapshot snapshot) {
        ClusterSnapshot state = arrivals ? snapshot : snapshot.withoutArrivals();
        Map<Long, StartPrediction> starts = new HashMap<>();
        for (StartDistribution start : MonteCarloStartPredictor.predict(
                state, scenarios(state.estimates().size()))) {
            starts.put(start.jobId(), toPrediction(start, snapshot.nowMillis()));
        }
        return starts;
    }

    private static int scenarios(int liveJobs) {
        return Math.min(MAX_SCENARIOS, Math.max(MIN_SCENARIOS, JOB_BUDGET / Math.max(1, liveJobs)));
    }

    private static StartPrediction toPrediction(StartDistribution start, long now) {
        long p50 = start.quantileMillis(0.5);
        long p90 = start.quantileMillis(0.9);
        int started = start.startsMillis().size();
        long days = MonteCarloStartPredictor.HORIZON_MILLIS / 86_400_000;
        String note = "";
        if (started == 0) {
            note = "it does not start within " + days + " days";
        } else if (p90 == StartDistribution.NEVER) {
            note = "it starts within " + days + " days in " + started + " of " + start.scenarios()
                    + " simulated futures";
        }
        return new StartPrediction(
                now,
                orUnknown(p50),
                orUnknown(p90),
                start.scenarios(),
                new StartPrediction.PredictedPreemption(
                        start.scenariosWithPreemption(), start.victims(), start.gainMillis(), start.costMillis()),
                note);
    }

    private static long orUnknown(long millis) {
        return millis == StartDistribution.NEVER ? StartPrediction.UNKNOWN : millis;
    }
}
