package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSize;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveJobBudgetTest {
    private static final JobSpec LARGE = script(900_000);

    private final LiveJobIndex live = new LiveJobIndex();
    private long nextId = 1;

    private static JobSpec script(int length) {
        return JobFileParser.parse(JsonNodeFactory.instance.objectNode().put("run", "#" + "x".repeat(length)))
                .get(0);
    }

    private LiveJob job(String user, JobSpec spec) {
        return new LiveJob(nextId++, user, spec, new ProfileKey("x", "", "", 1), 0, 0);
    }

    private void fill(String user, long bytes) {
        for (long used = 0; used + JobSize.bytes(LARGE) <= bytes; used += JobSize.bytes(LARGE)) {
            live.add(job(user, LARGE));
        }
    }

    private void check(String user, List<JobSpec> jobs) {
        LiveJobBudget.check(live, List.of(), user, jobs);
    }

    @Test
    void oneUserIsBounded() {
        fill("mallory", LiveJobBudget.PER_USER);
        assertThatThrownBy(() -> check("mallory", List.of(LARGE)))
                .isInstanceOf(RequestRejectedException.class)
                .hasMessageContaining("the live jobs of mallory would need 96 MiB; at most 96 MiB are kept");
        check("ann", List.of(LARGE));
    }

    @Test
    void allUsersTogetherAreBounded() {
        for (int user = 0; user < 3; user++) {
            fill("user" + user, LiveJobBudget.IN_ALL / 3);
        }
        List<JobSpec> some = Collections.nCopies(10, LARGE);
        assertThatThrownBy(() -> check("ann", some)).hasMessageContaining("all live jobs would need");
        check("ann", List.of(script(10)));
    }

    @Test
    void jobsOfTheSameCycleCount() {
        List<LiveJob> accepted = new ArrayList<>();
        Collections.nCopies((int) (LiveJobBudget.PER_USER / JobSize.bytes(LARGE)), LARGE)
                .forEach(spec -> accepted.add(job("mallory", spec)));
        assertThatThrownBy(() -> LiveJobBudget.check(live, accepted, "mallory", List.of(LARGE)))
                .hasMessageContaining("the live jobs of mallory");
        LiveJobBudget.check(live, accepted, "ann", List.of(LARGE));
    }

    @Test
    void endedJobsMakeRoom() {
        fill("mallory", LiveJobBudget.PER_USER);
        LiveJob ended = live.all().iterator().next();
        live.remove(ended);
        live.remove(ended);
        check("mallory", List.of(LARGE));
        assertThat(live.bytesOf("mallory")).isEqualTo(live.bytes());
    }

    @Test
    void everythingThatAUserCanMakeLargeCounts() {
        String text = "x".repeat(5_000);
        JobSpec plain = script(1);
        for (String field : List.of("run", "workdir")) {
            var document = JsonNodeFactory.instance.objectNode().put("run", "#x");
            document.put(field, field.equals("workdir") ? "/" + "x".repeat(1_000) : text);
            assertThat(JobSize.bytes(JobFileParser.parse(document).get(0)))
                    .as(field)
                    .isGreaterThan(JobSize.bytes(plain) + 900);
        }
        var document = JsonNodeFactory.instance.objectNode().put("run", "#x");
        document.putObject("env").put("A", text);
        assertThat(JobSize.bytes(JobFileParser.parse(document).get(0))).isGreaterThan(JobSize.bytes(plain) + 4_900);
        document = JsonNodeFactory.instance.objectNode().put("run", "#x");
        var after = document.putArray("after");
        for (int i = 1; i <= 100; i++) {
            after.add(i);
        }
        assertThat(JobSize.bytes(JobFileParser.parse(document).get(0))).isGreaterThan(JobSize.bytes(plain) + 6_000);
    }
}
