package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.sim.Play;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ElasticBoundTest {
    /** At full size it must talk between racks; on one GPU it need not talk at all and is faster than its reference. */
    @Test
    void aSmallerGangThatTalksLessDoesNotBeatTheBound() {
        Profile talks = new Profile("m", 100, 1, 2000, 10, 0, Map.of());
        Job elastic = Job.builder(2, 2)
                .demand(new Demand(1, 2, 0, 1000, List.of(), 0, 0))
                .profile(talks)
                .build();
        Play play = Play.on("2x1x1", "fifo")
                .job(Job.builder(1, 1).build(), 0, 2000)
                .job(elastic, 0, 1000)
                .run();

        assertThat(LowerBound.meanJctSeconds(play.workload(), play.topology()))
                .isLessThanOrEqualTo(play.meter().summary().all().jct().mean());
    }
}
