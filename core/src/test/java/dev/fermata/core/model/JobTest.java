package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JobTest {
    private static final Costs COSTS = new Costs(2_000, 5_000, 1_000, 0);

    private static Job job(Costs costs, long graceMillis) {
        return Job.builder(1, 1).costs(costs).graceMillis(graceMillis).build();
    }

    @Test
    void aJobSavesIfItsGraceIsLongEnough() {
        assertThat(job(COSTS, 2_000).savesWithinGrace()).isTrue();
        assertThat(job(COSTS, 2_000).vacateMillis()).isEqualTo(2_000);
        assertThat(job(COSTS, 1_999).savesWithinGrace()).isFalse();
        assertThat(job(COSTS, 1_999).vacateMillis()).isEqualTo(1_999);
    }

    @Test
    void aJobThatNeverSavesUsesItsWholeGrace() {
        Job job = job(COSTS.withCheckpointing(Checkpointing.NONE), 9_000);
        assertThat(job.savesWithinGrace()).isFalse();
        assertThat(job.vacateMillis()).isEqualTo(9_000);
        assertThat(job.preemptionOverheadMillis()).isEqualTo(9_000 + 6_000);
        assertThat(job.costs().withoutLoads()).isEqualTo(new Costs(2_000, 0, 0, 0, Checkpointing.NONE));
    }

    @Test
    @SuppressWarnings("NullAway") // what no caller may do
    void noPartOfAJobMayBeMissing() {
        assertThatThrownBy(() -> COSTS.withCheckpointing(null)).hasMessage("checkpointing");
        assertThatThrownBy(() -> Job.builder(1, 1).locality(null).build()).hasMessage("locality");
        assertThatThrownBy(() -> Job.builder(1, 1).profileFirst(null).build()).hasMessage("profileFirst");
    }

    @Test
    void aBuilderCopiesEveryValue() {
        Job job = Job.builder(7, 2)
                .name("n")
                .user("u")
                .queue("q")
                .jobClass(JobClass.TRIAL)
                .priority(3)
                .costs(COSTS)
                .declaredMillis(4)
                .iterations(5)
                .checkpointMillis(6)
                .graceMillis(7)
                .minRuntimeMillis(8)
                .maxPreemptions(9)
                .maxOutOfMemory(10)
                .limitMillis(11)
                .array(new JobArray(7, 0, 1))
                .build();
        assertThat(job.toBuilder(7).build()).isEqualTo(job);
        assertThat(job.withId(8).limits()).isEqualTo(new Job.Limits(7, 8, 9, 10, 11));
    }
}
