package dev.fermata.live.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

/** Attacks through the HTTP API. */
final class OutsideAttacks {
    private OutsideAttacks() {}

    static List<Attack> all() {
        return Stream.of(SocketAttacks.all(), roles(), BudgetAttacks.all(), SecretAttacks.all())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Attack> roles() {
        return List.of(
                Attack.of("a user reads no log of another", "GET /jobs/ID/logs of another user's job", target -> {
                    long job = target.submit(Person.ALICE, "{\"run\":\"echo hers\",\"gpus\":1}");
                    assertThat(target.get(Person.MALLORY, "/api/v1/jobs/" + job + "/logs")
                                    .status())
                            .isEqualTo(404);
                }),
                Attack.of("a user cancels no job of another", "DELETE /jobs/ID of another user's job", target -> {
                    long job = target.submit(Person.ALICE, "{\"run\":\"sleep 60\",\"gpus\":1}");
                    assertThat(target.call(Person.MALLORY, "DELETE", "/api/v1/jobs/" + job, null)
                                    .status())
                            .isEqualTo(404);
                    assertThat(target.stateOf(job)).isIn("PENDING", "STARTING", "RUNNING");
                }),
                Attack.of(
                        "a viewer submits nothing",
                        "POST /jobs with a viewer's token",
                        target -> assertThat(target.call(Person.VIEWER, "POST", "/api/v1/jobs", "{\"run\":\"id\"}")
                                        .status())
                                .isEqualTo(403)),
                Attack.asRoot(
                        "a job does not run as root",
                        "id in a job",
                        target -> assertThat(target.outputOf(Person.MALLORY, "id -un"))
                                .isEqualTo("games\n")));
    }
}
