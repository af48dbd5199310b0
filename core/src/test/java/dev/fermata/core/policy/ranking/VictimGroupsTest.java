package dev.fermata.core.policy.ranking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The groups against a list of all jobs. */
class VictimGroupsTest {
    private static RankedJob running(long id, Random random) {
        Rank rank = Rank.fixed(random.nextInt(2), random.nextInt(100));
        RankedJob entry = new RankedJob(PastJob.of(Job.builder(id, 1).build(), JobState.RUNNING, 0), rank);
        entry.weight = 1 + random.nextInt(2);
        entry.vacateMillis = random.nextInt(2);
        entry.leaveAndReturnMillis = random.nextInt(2);
        entry.savesWork = random.nextBoolean();
        entry.trial = random.nextBoolean();
        return entry;
    }

    private static List<Object> price(RankedJob e) {
        return List.of(e.rank.level(), e.weight, e.vacateMillis, e.leaveAndReturnMillis, (Object) e.savesWork, e.trial);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void holdEveryJobOnceByIdNextToThoseThatCostTheSame(long seed) {
        Random random = new Random(seed);
        VictimGroups groups = new VictimGroups();
        List<RankedJob> all = new ArrayList<>();
        List<RankedJob> gone = new ArrayList<>();
        for (int i = 1; i <= 400; i++) {
            if (all.isEmpty() || random.nextInt(3) > 0) {
                boolean returns = !gone.isEmpty() && random.nextBoolean();
                RankedJob entry = returns ? gone.remove(random.nextInt(gone.size())) : running(i, random);
                all.add(entry);
                groups.add(entry);
            } else {
                RankedJob left = all.remove(random.nextInt(all.size()));
                groups.remove(left);
                gone.add(left);
            }
            List<List<RankedJob>> expected = all.stream()
                    .sorted(Comparator.comparingLong(e -> e.job.id()))
                    .collect(Collectors.groupingBy(VictimGroupsTest::price))
                    .values()
                    .stream()
                    .toList();
            assertThat(groups.all().stream().map(VictimGroups.Group::jobs))
                    .containsExactlyInAnyOrderElementsOf(expected);
            groups.all().forEach(group -> assertThat(group.jobs()).contains(group.example()));
        }
    }

    @Test
    void removingAnAbsentJobFails() {
        RankedJob absent = running(7, new Random(1));

        assertThatThrownBy(() -> new VictimGroups().remove(absent)).hasMessageContaining("job 7 is in no group");
    }
}
