package dev.fermata.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobStreamTest {

    @Test
    void theSameSeedGivesTheSameJobs() {
        assertThat(minutes(7)).isEqualTo(minutes(7)).isNotEqualTo(minutes(8));
    }

    @Test
    void thereAreMoreBatchJobsThanGpusFromTheBeginning() {
        assertThat(new JobStream(1, 4, 1).due(0)).hasSize(6).noneMatch(DemoJob::trial);
    }

    @Test
    void trialsKeepArrivingAmongLongerJobs() {
        List<DemoJob> jobs = minutes(1);
        assertThat(jobs).isSortedAccordingTo(Comparator.comparingLong(DemoJob::atMillis));
        assertThat(jobs).extracting(DemoJob::name).doesNotHaveDuplicates();
        assertThat(jobs.stream().filter(DemoJob::trial)).hasSizeBetween(15, 40).allMatch(job -> job.seconds() <= 4);
        assertThat(jobs.stream().filter(job -> !job.trial()))
                .hasSizeBetween(10, 40)
                .allMatch(job -> job.seconds() >= 20);
    }

    @Test
    void aTrainingEndsWithTheSameLossEveryTime(@TempDir Path folder) throws Exception {
        TrainingScript trainingScript = TrainingScript.unpack(folder, Path.of("..", "python"));
        DemoJob job = new DemoJob("batch-1", false, 0, 1, 40, 0.05);
        assertThat(trainingScript.runUnpaused(job)).isPresent().isEqualTo(trainingScript.runUnpaused(job));
        assertThat(trainingScript.runUnpaused(new DemoJob("batch-2", false, 0, 2, 40, 0.05)))
                .isNotEqualTo(trainingScript.runUnpaused(job));
        assertThat(TrainingScript.finalLoss("step 0 loss 1.0\n")).isEmpty();
    }

    private static List<DemoJob> minutes(long seed) {
        JobStream stream = new JobStream(seed, 4, 1);
        List<DemoJob> jobs = new ArrayList<>();
        for (long at = 0; at <= 120_000; at += 200) {
            jobs.addAll(stream.due(at));
        }
        return jobs;
    }
}
