package dev.fermata.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.output.Screen;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoryTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Story story = new Story(ZoneOffset.UTC);
    private final List<String> told = new ArrayList<>();

    StoryTest() {
        story.add(3, new DemoJob("batch-3", false, 0, 3, 800, 0.05));
        story.add(9, new DemoJob("trial-7", true, 0, 1007, 100, 0.02));
    }

    @Test
    void aPauseIsToldWithTheJobItWasMadeFor() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        assertThat(told)
                .containsExactly(
                        "14:03:00  batch-3 starts on GPU 2, 0.5s after it arrived",
                        "14:03:12  trial-7 starts on GPU 2, 0.6s after it arrived; for it batch-3 was paused after saving at step 410 (0.4s)");
        assertThat(Picture.of(story.jobs().values(), 3, "now", Screen.PIPE))
                .containsExactly(
                        "",
                        "now",
                        "GPU 0  –",
                        "GPU 1  –",
                        "GPU 2  trial-7    ░░░░░░░░░░░░░░░░░░░░░░░░  step    0 of 100 ",
                        "waiting: batch-3 (paused at step 410)");
    }

    @Test
    void aPausedJobGoesOnWhereItWas() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        hear(9, "14:03:14.000", "Left", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        hear(3, "14:03:14.100", "Started", "{'attempt':2,'allocation':{'gpus':[0]},'resumed':true}");
        hear(3, "14:03:14.200", "Running", "{}");
        hear(3, "14:03:14.300", "Running", "{}");
        assertThat(told.subList(2, told.size()))
                .containsExactly("14:03:14  trial-7 is done", "14:03:14  batch-3 goes on at step 410 on GPU 0");
    }

    @Test
    void whoGoesOnMayHaveHadOthersPausedToo() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        hear(9, "14:03:13.000", "Pausing", "{'attempt':1,'beneficiary':3}");
        hear(9, "14:03:13.500", "Left", "{'outcome':'PAUSED','next':'PENDING','usage':{'pauseMillis':100}}");
        hear(3, "14:03:13.600", "Started", "{'attempt':2,'allocation':{'gpus':[2]},'resumed':true}");
        hear(3, "14:03:14.000", "Running", "{}");
        assertThat(told.get(2))
                .isEqualTo(
                        "14:03:14  batch-3 goes on at step 410 on GPU 2; for it trial-7 was paused after saving at step 0 (0.1s)");
    }

    @Test
    void whatGoesWrongIsTold() throws JacksonException {
        hear(3, "14:03:00.000", "Running", "{}");
        hear(3, "14:03:01.000", "Left", "{'outcome':'LOST','next':'PENDING','usage':{}}");
        hear(3, "14:03:02.000", "Left", "{'outcome':'FAILED','next':'FAILED','usage':{}}");
        hear(9, "14:03:03.000", "Ended", "{'state':'CANCELLED'}");
        assertThat(told.subList(1, told.size()))
                .containsExactly(
                        "14:03:01  batch-3 was stopped before it had done a step",
                        "14:03:02  batch-3 ended as FAILED",
                        "14:03:03  trial-7 ended as CANCELLED");
    }

    @Test
    void jobsOfOthersAreNotItsBusiness() throws JacksonException {
        hear(4711, "14:03:00.000", "Running", "{}");
        assertThat(told).isEmpty();
    }

    @Test
    void theSummaryComparesEveryPausedJobThatIsDone() throws JacksonException {
        batchRunsAndIsPausedForTheTrial();
        hear(9, "14:03:14.000", "Left", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        hear(3, "14:03:30.000", "Left", "{'outcome':'COMPLETED','next':'COMPLETED','usage':{}}");
        Seen batch = Objects.requireNonNull(story.jobs().get(3L));
        batch.finalLoss = Optional.of("0.0396605");
        batch.unpausedLoss = Optional.of("0.0396605");
        Summary summary = Summary.of(story.jobs().values());
        assertThat(summary.good()).isTrue();
        assertThat(summary.lines())
                .containsExactly(
                        "trials  1 of 1 done; they waited 0.6s in the median, 0.6s at most",
                        "batch   1 of 1 done; 1 pause of 1 job, 0.4s each",
                        "check   1 paused job is done, with the same final loss as unpaused, to the last digit");
        batch.unpausedLoss = Optional.of("0.0396606");
        assertThat(Summary.of(story.jobs().values()).good()).isFalse();
        assertThat(Summary.of(story.jobs().values()).lines()).contains("check   DIFFERENT from unpaused: batch-3");
    }

    private void batchRunsAndIsPausedForTheTrial() throws JacksonException {
        hear(3, "14:02:59.500", "Submitted", "{}");
        hear(3, "14:02:59.900", "Started", "{'attempt':1,'allocation':{'gpus':[2]}}");
        hear(3, "14:03:00.000", "Running", "{}");
        hear(9, "14:03:11.400", "Submitted", "{}");
        hear(3, "14:03:11.410", "Pausing", "{'attempt':1,'beneficiary':9,'gainMillis':160000,'costMillis':4200}");
        story.see(JSON.readTree("{\"id\":3,\"progress\":{\"step\":400,\"value\":0.3}}"));
        hear(
                3,
                "14:03:11.900",
                "Left",
                "{'outcome':'PAUSED','next':'PENDING','usage':{'pauseMillis':400},'progress':{'step':410}}");
        hear(9, "14:03:11.910", "Started", "{'attempt':1,'allocation':{'gpus':[2]}}");
        hear(9, "14:03:12.000", "Running", "{}");
    }

    private void hear(long job, String time, String kind, String body) throws JacksonException {
        JsonNode event = JSON.readTree(
                ("{'job':" + job + ",'at':'2026-11-15T" + time + "Z','kind':'" + kind + "','body':" + body + "}")
                        .replace('\'', '"'));
        story.hear(event).ifPresent(told::add);
    }
}
