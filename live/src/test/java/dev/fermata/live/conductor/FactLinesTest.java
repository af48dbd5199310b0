package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.store.Line;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A fact that is written and read is the same fact, in this version and the next. */
class FactLinesTest {
    private static final Topology CLUSTER =
            Topology.builder().node(Stage.TYPE, 4).node(Stage.TYPE, 8).build();

    private final FactLines lines = new FactLines(CLUSTER);
    private final SplittableRandom random = new SplittableRandom(1);

    private Line line(String kind, String body) {
        return new Line(1, 0, 1, 1, "policy", kind, body);
    }

    @Test
    void everyFactComesBackAsItWas() {
        Set<Class<?>> seen = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            Fact fact = fact(i);
            seen.add(fact.getClass());
            String body = lines.body(fact, Map.of());
            assertThat(lines.fact(line(FactLines.kind(fact), body))).as(body).contains(fact);
        }
        assertThat(seen).containsExactlyInAnyOrder(Fact.class.getPermittedSubclasses());
    }

    @Test
    void remarksAndUnknownFieldsAreSkipped() {
        Fact fact = new Fact.Running(7, 2, 1_000_000);
        assertThat(lines.body(fact, Map.of("exit", 3))).contains("\"exit\":3").contains("\"v\":1");
        assertThat(lines.fact(
                        line("Running", "{\"v\":9,\"jobId\":7,\"attempt\":2,\"paceMicro\":1000000,\"mood\":[1]}")))
                .contains(fact);
        assertThat(lines.fact(line("Sung", "{}"))).isEmpty();
    }

    @Test
    void fieldsThatAnOlderVersionDidNotWriteAreEmpty() {
        Job job = Job.builder(3, 1).build();
        String body = lines.body(new Fact.Submitted(job), Map.of());
        String older = body.replace(",\"after\":[]", "").replace(",\"limitMillis\":0", "");
        assertThat(older).isNotEqualTo(body);
        assertThat(lines.fact(line("Submitted", older))).contains(new Fact.Submitted(job));
    }

    @Test
    void gpusOfAnotherClusterAreNamed() {
        assertThatThrownBy(() -> lines.fact(line("Promised", "{\"jobId\":1,\"allocation\":{\"gpus\":[99]}}")))
                .hasMessageContaining("99")
                .hasMessageContaining("12");
    }

    @Test
    void imagesComeBackToo() {
        LedgerImage ledger = new LedgerImage(
                5,
                List.of(new LedgerImage.Page(
                        job(),
                        JobState.PAUSING,
                        2,
                        1,
                        2,
                        3,
                        4,
                        5,
                        6,
                        7,
                        8,
                        18,
                        9,
                        10,
                        11,
                        12,
                        13,
                        true,
                        false,
                        LedgerImage.Gpus.of(allocation()),
                        null,
                        new LedgerImage.Declined(14, 15, 16, 17))),
                List.of(1),
                List.of(3),
                List.of(new QueueRule("a/b", 1, QueueRule.NO_LIMIT, 0.5)));
        Image image = new Image(Image.VERSION, ledger, List.of(0));
        assertThat(lines.json().read(lines.json().write(image), Image.class)).isEqualTo(image);
    }

    private Fact fact(int i) {
        long id = random.nextLong(1L << 40);
        int attempt = 1 + random.nextInt(9);
        return switch (i % 16) {
            case 0 -> new Fact.Submitted(job());
            case 1 -> new Fact.Refused(job(), new Verdict(id, any(Reason.values()), 1, 2, 3, -1));
            case 2 -> new Fact.Started(id, attempt, allocation(), random.nextBoolean());
            case 3 -> new Fact.Running(id, attempt, random.nextLong(1L << 40));
            case 4 -> new Fact.Paced(id, attempt, random.nextLong(1L << 40));
            case 5 -> new Fact.Held(id);
            case 6 -> random.nextBoolean() ? new Fact.Released(id) : new Fact.Profiled(id, attempt);
            case 7 -> new Fact.Changed(job());
            case 8 ->
                new Fact.QueuesSet(
                        List.of(new QueueRule("r/" + i, 0, 1 + random.nextInt(9), random.nextDouble(9) + 0.1)));
            case 9 -> new Fact.Promised(id, allocation());
            case 10 -> new Fact.Unpromised(id);
            case 11 -> new Fact.Pausing(id, attempt, random.nextLong(99), random.nextLong(), random.nextLong());
            case 12 ->
                random.nextBoolean() ? new Fact.Cancelling(id, attempt) : new Fact.Ended(id, any(JobState.values()));
            case 13 ->
                new Fact.Left(
                        id,
                        attempt,
                        any(Outcome.values()),
                        new Usage(1, 2, 3, 4, 5, random.nextLong()),
                        any(JobState.values()));
            case 14 -> new Fact.Refrained(id, attempt, random.nextLong(1L << 40), random.nextLong(1L << 40));
            default ->
                random.nextBoolean()
                        ? new Fact.Capacity(random.nextBoolean(), random.nextInt(9), random.nextBoolean(), 3)
                        : new Fact.Rejected(id, "Start \"x\"\n", "rule é");
        };
    }

    private Job job() {
        return Job.builder(random.nextLong(1L << 40), 1)
                .demand(new Demand(
                        1, 1 + random.nextInt(8), random.nextInt(9), 1 + random.nextInt(1000), List.of("A", "b"), 5, 6))
                .name("näme \"" + random.nextInt() + "\"")
                .user("u")
                .queue("q/r")
                .jobClass(any(JobClass.values()))
                .profile(new Profile(
                        "m",
                        random.nextDouble(100) + 1,
                        0.5,
                        3.25,
                        2,
                        7,
                        Map.of("A", 1.5, "B", random.nextDouble(3) + 0.1)))
                .costs(new Costs(1, 2, 3, 4))
                .declaredMillis(random.nextLong(1L << 40))
                .iterations(3)
                .graceMillis(4)
                .checkpointMillis(5)
                .priority(random.nextInt(100) - 50)
                .maxPreemptions(random.nextInt(5))
                .limitMillis(6)
                .minRuntimeMillis(7)
                .after(List.of(new After(3, any(After.Wanted.values()))))
                .bundle(random.nextBoolean() ? Bundle.NONE : new Bundle(4, 2, 1))
                .build();
    }

    private Allocation allocation() {
        int[] gpus = random.ints(0, 12).distinct().limit(1 + random.nextInt(12)).toArray();
        Arrays.sort(gpus);
        return Allocation.of(CLUSTER, gpus, random.nextBoolean());
    }

    private <E> E any(E[] values) {
        return values[random.nextInt(values.length)];
    }
}
