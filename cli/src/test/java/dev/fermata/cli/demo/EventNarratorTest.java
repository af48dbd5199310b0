package dev.fermata.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.report.text.Screen;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventNarratorTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EventNarrator narrator = new EventNarrator(ZoneOffset.UTC);
    private final List<String> lines = new ArrayList<>();

    EventNarratorTest() {
        narrator.add(3, new DemoJob("batch-3", false, 0, 3, 800, 0.05));
        narrator.add(9, new DemoJob("trial-7", true, 0, 1007, 100, 0.02));
    }

    @Test
    void aPauseIsNarratedWithItsBeneficiary() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        assertThat(lines)
                .containsExactly(
                        "14:03:00  batch-3 starts on GPU 2, 0.5s after it arrived",
                        "14:03:12  trial-7 starts on GPU 2, 0.6s after it arrived; for it batch-3 was paused after saving at step 410 (0.4s)");
        assertThat(GpuDisplay.render(narrator.jobs().values(), 3, "now", Screen.PIPE))
                .containsExactly(
                        "",
                        "now",
                        "GPU 0  –",
                        "GPU 1  –",
                        "GPU 2  trial-7    ░░░░░░░░░░░░░░░░░░░░░░░░  step    0 of 100 ",
                        "waiting: batch-3 (paused at step 410)");
    }

    @Test
    void aPausedJobContinuesAtItsStep() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        narrate(9, "14:03:14.000", "AttemptEnded", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        narrate(3, "14:03:14.100", "Started", "{'attempt':2,'allocation':{'gpus':[0]},'resumed':true}");
        narrate(3, "14:03:14.200", "Running", "{}");
        narrate(3, "14:03:14.300", "Running", "{}");
        assertThat(lines.subList(2, lines.size()))
                .containsExactly("14:03:14  trial-7 is done", "14:03:14  batch-3 goes on at step 410 on GPU 0");
    }

    @Test
    void aResumingJobMayHaveVictimsToo() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        narrate(9, "14:03:13.000", "Preempting", "{'attempt':1,'beneficiary':3}");
        narrate(
                9,
                "14:03:13.500",
                "AttemptEnded",
                "{'outcome':'PREEMPTED','next':'PENDING','usage':{'preemptMillis':100}}");
        narrate(3, "14:03:13.600", "Started", "{'attempt':2,'allocation':{'gpus':[2]},'resumed':true}");
        narrate(3, "14:03:14.000", "Running", "{}");
        assertThat(lines.get(2))
                .isEqualTo(
                        "14:03:14  batch-3 goes on at step 410 on GPU 2; for it trial-7 was paused after saving at step 0 (0.1s)");
    }

    @Test
    void failuresAreNarrated() throws JacksonException {
        narrate(3, "14:03:00.000", "Running", "{}");
        narrate(3, "14:03:01.000", "AttemptEnded", "{'outcome':'LOST','next':'PENDING','usage':{}}");
        narrate(3, "14:03:02.000", "AttemptEnded", "{'outcome':'FAILED','next':'FAILED','usage':{}}");
        narrate(9, "14:03:03.000", "JobEnded", "{'state':'CANCELLED'}");
        assertThat(lines.subList(1, lines.size()))
                .containsExactly(
                        "14:03:01  batch-3 was stopped before it had done a step",
                        "14:03:02  batch-3 ended as FAILED",
                        "14:03:03  trial-7 ended as CANCELLED");
    }

    @Test
    void jobsOutsideTheDemoAreIgnored() throws JacksonException {
        narrate(4711, "14:03:00.000", "Running", "{}");
        assertThat(lines).isEmpty();
    }

    @Test
    void theSummaryComparesEveryPausedJobThatIsDone() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        narrate(9, "14:03:14.000", "AttemptEnded", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        narrate(3, "14:03:30.000", "AttemptEnded", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        ObservedJob batch = Objects.requireNonNull(narrator.jobs().get(3L));
        batch.finalLoss = Optional.of("0.0396605");
        batch.unpausedLoss = Optional.of("0.0396605");
        DemoSummary summary = DemoSummary.of(narrator.jobs().values());
        assertThat(summary.passed()).isTrue();
        assertThat(summary.lines())
                .containsExactly(
                        "trials  1 of 1 done; they waited 0.6s in the median, 0.6s at most",
                        "batch   1 of 1 done; 1 pause of 1 job, 0.4s each",
                        "check   1 paused job is done, with the same final loss as unpaused, to the last digit");
        batch.unpausedLoss = Optional.of("0.0396606");
        assertThat(DemoSummary.of(narrator.jobs().values()).passed()).isFalse();
        assertThat(DemoSummary.of(narrator.jobs().values()).lines())
                .contains("check   DIFFERENT from unpaused: batch-3");
    }

    private void batchRunsAndIsPausedForTheTrial() throws JacksonException {
        narrate(3, "14:02:59.500", "Submitted", "{}");
        narrate(3, "14:02:59.900", "Started", "{'attempt':1,'allocation':{'gpus':[2]}}");
        narrate(3, "14:03:00.000", "Running", "{}");
        narrate(9, "14:03:11.400", "Submitted", "{}");
        narrate(3, "14:03:11.410", "Preempting", "{'attempt':1,'beneficiary':9,'gainMillis':160000,'costMillis':4200}");
        narrator.updateProgress(JSON.readTree("{\"id\":3,\"progress\":{\"step\":400,\"value\":0.3}}"));
        narrate(
                3,
                "14:03:11.900",
                "AttemptEnded",
                "{'outcome':'PREEMPTED','next':'PENDING','usage':{'preemptMillis':400},'progress':{'step':410}}");
        narrate(9, "14:03:11.910", "Started", "{'attempt':1,'allocation':{'gpus':[2]}}");
        narrate(9, "14:03:12.000", "Running", "{}");
    }

    private void narrate(long job, String time, String type, String body) throws JacksonException {
        JsonNode event = JSON.readTree(
                ("{'job':" + job + ",'at':'2026-11-15T" + time + "Z','type':'" + type + "','body':" + body + "}")
                        .replace('\'', '"'));
        narrator.narrate(event).ifPresent(lines::add);
    }
}
