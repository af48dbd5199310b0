package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.spec.JobSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The store keeps secrets no longer than their job. */
class EndedSecretsTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 1);

    private static JobSpec withEnv(JobSpec spec, Map<String, String> env, List<String> secrets) {
        return new JobSpec(
                spec.labels(),
                spec.resources(),
                spec.scheduling(),
                spec.preempt(),
                spec.checkpoint(),
                spec.dependencies(),
                spec.array(),
                new JobSpec.CommandSpec(1, env, secrets, "", "true"));
    }

    @Test
    void secretsLeaveTheStoreWhenTheirJobEnds() {
        JobSpec spec = withEnv(
                TestSpec.gpus(1).spec(),
                Map.of("API_KEY", "hunter2", "MINE", "swordfish", "MODEL", "bert"),
                List.of("MINE"));
        long id = fixture.runAndGet(fixture.service().submit(LoopFixture.ANN, List.of(spec), null))
                .get(0);
        fixture.engine.running(id);
        fixture.runCycle();
        assertThat(fixture.row(id).spec()).contains("hunter2", "swordfish");

        fixture.engine.end(id, Outcome.COMPLETED, 0, "");
        fixture.runCycle();

        assertThat(fixture.row(id).spec())
                .doesNotContain("hunter2", "swordfish")
                .contains("bert");
    }
}
