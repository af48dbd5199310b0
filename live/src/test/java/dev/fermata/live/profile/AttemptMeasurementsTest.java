package dev.fermata.live.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.history.RecordJson;
import dev.fermata.live.profile.AttemptMeasurements.Checkpoints;
import dev.fermata.live.profile.AttemptMeasurements.LoadTimes;
import dev.fermata.live.profile.AttemptMeasurements.PreemptionTimes;
import dev.fermata.live.profile.AttemptMeasurements.ResourceUse;
import dev.fermata.live.profile.AttemptMeasurements.Steps;
import dev.fermata.live.profile.AttemptMeasurements.Suspensions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The stored form of measurements, which rows and history entries of earlier daemons contain. */
class AttemptMeasurementsTest {
    private static final String STORED = "{\"startMillis\":1,\"buildMillis\":2,\"restoreMillis\":3,\"warmupMillis\":4,"
            + "\"loadMillis\":5,\"preemptMillis\":6,\"saveMillis\":7,\"keptByPreemption\":1,\"iterationMicros\":9,"
            + "\"busyPermille\":10,\"peakMemoryMib\":11,\"savedBytes\":12,\"checkpointEveryMillis\":13,"
            + "\"savedAtMillis\":14,\"canSave\":1,\"step\":15,\"savedStep\":16,\"totalSteps\":17,\"suspendMillis\":20,\"resumeMillis\":21,\"canBeSuspended\":1,"
            + "\"coRuns\":[{\"neighbour\":\"vgg\",\"iterationMicros\":18,\"aloneMicros\":19}]}";

    private static final AttemptMeasurements MEASURED = new AttemptMeasurements(
            new LoadTimes(1, 2, 3, 4, 5),
            new PreemptionTimes(6, 7, 1),
            new ResourceUse(9, 10, 11),
            new Checkpoints(12, 13, 14, 1),
            new Steps(15, 16, 17),
            new Suspensions(20, 21, 1),
            List.of(new CoRunSample("vgg", 18, 19)));

    private final RecordJson json = new RecordJson();

    @Test
    void storedJsonIsFlat() {
        assertThat(json.write(MEASURED)).isEqualTo(STORED);
        assertThat(json.read(STORED, AttemptMeasurements.class)).isEqualTo(MEASURED);
        assertThat(json.mapper().valueToTree(MEASURED).toString()).isEqualTo(STORED);
    }

    @Test
    void unknownKeysAreSkippedAndMissingOnesAreZero() {
        AttemptMeasurements read =
                json.read("{\"loadMillis\":5,\"later\":{\"step\":1},\"coRuns\":null}", AttemptMeasurements.class);

        assertThat(read.loadMillis()).isEqualTo(5);
        assertThat(read.step()).isZero();
        assertThat(read.suspensions())
                .as("of a version that did not measure them")
                .isEqualTo(Suspensions.NONE);
        assertThat(read.coRuns()).isEmpty();
    }

    @Test
    void measurementsAreReadInsideAnotherRecord() {
        ProfileUpdate update = new ProfileUpdate(new ProfileKey("train.py", "", "H100", 1), Set.of(), -1, MEASURED);

        assertThat(json.read(json.write(update), ProfileUpdate.class)).isEqualTo(update);
    }
}
