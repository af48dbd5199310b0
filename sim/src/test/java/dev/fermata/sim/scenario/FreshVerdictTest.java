package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.Job;
import dev.fermata.sim.Play;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreshVerdictTest {
    /** One GPU is free on each node when C comes; then F takes one of them. */
    @Test
    void aReasonIsAsFreshAsItsNumbers() {
        Play play = Play.on("2x2", "sjf:place=consolidate")
                .job(Job.builder(1, 1).build(), 0, 20)
                .job(Job.builder(2, 1).build(), 0, 200)
                .job(Job.builder(3, 1).build(), 0, 200)
                .job(Job.builder(4, 2).name("C").build(), 30, 300)
                .job(Job.builder(5, 1).name("F").build(), 40, 50);
        List<Verdict> verdicts = new ArrayList<>();
        play.run((now, fact) -> {
            if (fact instanceof Fact.Submitted && now >= 30_000) {
                verdicts.add(play.scheduler().explain(4));
            }
        });

        assertThat(verdicts)
                .containsExactly(
                        new Verdict(4, Reason.FRAGMENTED, 2, 2, 0, -1), new Verdict(4, Reason.RESOURCES, 2, 1, 0, -1));
    }
}
