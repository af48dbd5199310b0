package dev.fermata.sim.forecast;

import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Trial;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/** A job that comes in a scenario, and the work it needs there. */
record Newcomer(Job job, Belief belief, long atMillis, long wholeMillis) {
    /** No live job has such a number. */
    private static final long FIRST_ID = 1L << 50;

    /** Fewer do not tell how many come. */
    private static final int FEWEST = 8;

    private static final double E = StrictMath.exp(-1);

    /**
     * Who else may come: what came of late comes again within as long, each job as often as chance has it (once on average), at any
     * time. Nobody knows more than that of people, and to expect nobody would be wrong on every busy day.
     */
    static List<Newcomer> likeThoseOfLate(List<Arrival> recent, long nowMillis, Rng random) {
        if (recent.size() < FEWEST) {
            return List.of();
        }
        long span = recent.stream().mapToLong(Arrival::agoMillis).max().orElse(0);
        List<Newcomer> newcomers = new ArrayList<>();
        for (Arrival arrival : recent) {
            for (double chance = random.uniform(); chance > E; chance *= random.uniform()) {
                Job job = arrival.job().toBuilder(FIRST_ID + newcomers.size())
                        .after(List.of())
                        .bundle(Bundle.NONE)
                        .trial(Trial.NONE)
                        .build();
                long at = nowMillis + 1 + Math.round(random.uniform() * span);
                newcomers.add(
                        new Newcomer(job, arrival.belief(), at, arrival.belief().wholeMillis(random.uniform())));
            }
        }
        return newcomers;
    }
}
