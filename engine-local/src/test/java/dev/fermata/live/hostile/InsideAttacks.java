package dev.fermata.live.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.hostile.HostileTarget.Answer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Attacks by jobs and by what users may ask the scheduler for. */
final class InsideAttacks {
    private static final String RULES = "{\"queues\":[{\"path\":\"hers\",\"terms\":{\"users\":[\"mail\"]}},"
            + "{\"path\":\"open\",\"terms\":{\"userGpus\":2,\"userJobs\":10,\"maxGraceSeconds\":600,"
            + "\"trials\":{\"gpus\":1,\"seconds\":1}}},"
            + "{\"path\":\"plain\",\"terms\":{\"trials\":{\"gpus\":0}}}]}";
    private static final String GUARANTEE = "{\"queues\":[{\"path\":\"hers\",\"guarantee\":8}]}";
    private static final String NO_RULES = "{\"queues\":[]}";
    private static final int FLOOD = 500;

    private InsideAttacks() {}

    static List<Attack> all() {
        return Stream.of(queues(), trials(), reclaim(), othersJobs(), immortals(), files(), floods())
                .flatMap(List::stream)
                .toList();
    }

    /** Carries out an action while these rules hold. */
    private static Attack.Action under(String rules, Attack.Action action) {
        return target -> {
            setRules(target, rules);
            try {
                action.run(target);
            } finally {
                target.tidy();
                setRules(target, NO_RULES);
            }
        };
    }

    private static void setRules(HostileTarget target, String rules) throws Exception {
        Answer answer = target.call(Person.OPERATOR, "PUT", "/api/v1/queues", rules);
        assertThat(answer.status()).as(answer.body()).isEqualTo(204);
    }

    private static Attack refused(String name, String rules, String document, int status, String words) {
        return Attack.of(name, "POST /jobs " + document, under(rules, target -> {
            Answer answer = target.call(Person.MALLORY, "POST", "/api/v1/jobs", document);
            assertThat(answer.status()).as(answer.body()).isEqualTo(status);
            assertThat(answer.body()).contains(words);
        }));
    }

    private static List<Attack> queues() {
        return List.of(
                refused("a user invents no queue", RULES, job("\"queue\":\"mine\""), 422, "has no rule"),
                refused(
                        "a user submits to no queue of others",
                        RULES,
                        job("\"queue\":\"hers\""),
                        422,
                        "may not submit"),
                refused(
                        "a user invents no queue below one of others",
                        RULES,
                        job("\"queue\":\"hers/x\""),
                        422,
                        "has no rule"),
                Attack.of(
                        "a job moves to no queue of others",
                        "PATCH /jobs/ID {\"queue\":\"hers\"}",
                        under(RULES, target -> {
                            long id = target.submit(Person.MALLORY, job("\"queue\":\"open\",\"hold\":true"));
                            Answer answer =
                                    target.call(Person.MALLORY, "PATCH", "/api/v1/jobs/" + id, "{\"queue\":\"hers\"}");
                            assertThat(answer.status()).as(answer.body()).isEqualTo(422);
                        })),
                refused(
                        "a user has no more live jobs than allowed",
                        RULES,
                        job("\"queue\":\"open\",\"array\":\"0-10\""),
                        429,
                        "live jobs of games"),
                Attack.of(
                        "a user holds no more GPUs than allowed", "POST /jobs, an array of 4", under(RULES, target -> {
                            Answer answer = target.call(
                                    Person.MALLORY,
                                    "POST",
                                    "/api/v1/jobs",
                                    job("\"queue\":\"open\",\"array\":\"0-3\""));
                            List<Long> ids = new ArrayList<>();
                            answer.json().path("ids").forEach(id -> ids.add(id.asLong()));
                            target.awaitState(ids.get(1), "RUNNING");
                            assertThat(target.stateOf(ids.get(2))).isEqualTo("PENDING");
                            assertThat(target.stateOf(ids.get(3))).isEqualTo("PENDING");
                        })),
                refused(
                        "no grace keeps GPUs for ever",
                        RULES,
                        job("\"queue\":\"open\",\"preempt\":{\"grace\":\"40000d\"}"),
                        422,
                        "preempt.grace"),
                refused(
                        "no minimum run time keeps GPUs for ever",
                        RULES,
                        job("\"queue\":\"open\",\"preempt\":{\"minRuntime\":\"40000d\"}"),
                        422,
                        "preempt.minRuntime"),
                refused("a user lifts no job above others", NO_RULES, job("\"priority\":100"), 403, "priority"));
    }

    private static List<Attack> trials() {
        return List.of(
                refused(
                        "no job is a trial where trials are not allowed",
                        RULES,
                        job("\"queue\":\"plain\",\"class\":\"trial\""),
                        422,
                        "may not run trials"),
                refused(
                        "no trial is larger than allowed",
                        RULES,
                        job("\"queue\":\"open\",\"class\":\"trial\",\"gpus\":2"),
                        422,
                        "a trial of 2 GPUs"),
                refused(
                        "no trial is declared longer than allowed",
                        RULES,
                        job("\"queue\":\"open\",\"class\":\"trial\",\"time\":\"2h\""),
                        422,
                        "exceeds the 1 s"),
                Attack.of("a trial that runs too long is one no more", "a trial that sleeps", under(RULES, target -> {
                    long id = target.submit(Person.MALLORY, job("\"queue\":\"open\",\"class\":\"trial\""));
                    Awaitility.await()
                            .atMost(HostileTarget.TIMEOUT)
                            .until(() -> target.get(Person.ADMIN, "/api/v1/jobs/" + id)
                                    .json()
                                    .findValue("class")
                                    .asText()
                                    .equals("batch"));
                })));
    }

    private static List<Attack> reclaim() {
        return List.of(
                Attack.of(
                        "a job that may never be preempted gives back what is guaranteed",
                        "preempt {maxTimes: 0} on GPUs that another queue is guaranteed",
                        under(GUARANTEE, target -> reclaims(target, "sleep 1000", "\"maxTimes\":0"))),
                Attack.of(
                        "a job that ignores the signal gives back what is guaranteed",
                        "trap '' TERM on GPUs that another queue is guaranteed",
                        under(
                                GUARANTEE,
                                target -> reclaims(
                                        target,
                                        "trap '' TERM; while :; do sleep 0.1; done",
                                        "\"maxTimes\":0,\"grace\":\"1s\""))));
    }

    private static void reclaims(HostileTarget target, String run, String preempt) throws Exception {
        long borrower =
                target.submit(Person.MALLORY, "{\"run\":\"" + run + "\",\"gpus\":8,\"preempt\":{" + preempt + "}}");
        target.awaitState(borrower, "RUNNING");
        long hers = target.submit(Person.ALICE, "{\"run\":\"sleep 1000\",\"gpus\":8,\"queue\":\"hers\"}");
        target.awaitState(hers, "RUNNING");
    }

    private static List<Attack> othersJobs() {
        List<Attack> attacks = new ArrayList<>();
        for (String[] request : new String[][] {
            {"cancels", "DELETE", ""},
            {"holds", "POST", "/hold"},
            {"releases", "POST", "/release"},
            {"changes", "PATCH", ""}
        }) {
            attacks.add(Attack.of(
                    "a user " + request[0] + " no job of another", request[1] + " /jobs/ID" + request[2], target -> {
                        long hers = target.submit(Person.ALICE, job("\"hold\":true"));
                        String body = request[1].equals("PATCH") ? "{\"priority\":-1}" : null;
                        assertThat(target.call(Person.MALLORY, request[1], "/api/v1/jobs/" + hers + request[2], body)
                                        .status())
                                .isEqualTo(404);
                        assertThat(target.stateOf(hers)).isEqualTo("PENDING");
                    }));
        }
        return attacks;
    }

    private static List<Attack> immortals() {
        return List.of(
                ends(
                        "a job that poisons its exit record ends",
                        "cd $FERMATA_ATTEMPT_DIR/..; rm -f exit;" + " echo 99999999999999999999 >exit; exit 0"),
                ends(
                        "a job that poisons its list of processes ends",
                        "cd $FERMATA_ATTEMPT_DIR/..;" + " echo 0 99999999999999999999 x >job; echo x >pid; exit 0"),
                ends("a job that closes its exit record ends", "cd $FERMATA_ATTEMPT_DIR/..; chmod 0 exit; exit 0"),
                ends("a job that deletes its folder ends", "rm -rf $FERMATA_ATTEMPT_DIR/..; exit 0"),
                Attack.of("a job that ignores its time limit ends", "limit 1s and trap '' TERM", target -> {
                    long id = target.submit(
                            Person.MALLORY,
                            "{\"run\":\"trap '' TERM; while :; do sleep 0.1; done\",\"gpus\":1,\"limit\":\"1s\","
                                    + "\"preempt\":{\"grace\":\"1s\"}}");
                    target.awaitEnd(id);
                }),
                Attack.of("a job that ignores a cancel ends", "DELETE and trap '' TERM", target -> {
                    long id = target.submit(
                            Person.MALLORY, "{\"run\":\"trap '' TERM; while :; do sleep 0.1; done\",\"gpus\":1}");
                    target.awaitState(id, "RUNNING");
                    target.call(Person.MALLORY, "DELETE", "/api/v1/jobs/" + id, null);
                    target.awaitEnd(id);
                }));
    }

    private static Attack ends(String name, String run) {
        return Attack.of(name, run, target -> {
            long id = target.submit(Person.MALLORY, "{\"run\":\"" + run + "\",\"gpus\":1}");
            target.awaitEnd(id);
        });
    }

    private static List<Attack> files() {
        List<Attack> attacks = new ArrayList<>();
        for (String file : List.of("fermata.db", "engine.key", "report.key", "daemon.lock", "age-clock")) {
            attacks.add(Attack.asRoot("no job reads " + file, "cat DATA/" + file, target -> {
                if (Files.exists(target.data.resolve(file))) {
                    assertThat(target.outputOf(
                                    Person.MALLORY, "cat " + target.data.resolve(file) + " >/dev/null && echo read"))
                            .isEmpty();
                }
            }));
        }
        attacks.add(Attack.asRoot("no job reads the environment of another", "cat .../env", target -> {
            long hers = target.submit(
                    Person.ALICE, "{\"run\":\"sleep 1000\",\"gpus\":1,\"env\":{\"API_KEY\":\"hunter2\"}}");
            target.awaitState(hers, "RUNNING");
            String output = target.outputOf(
                    Person.MALLORY,
                    "cat " + target.data + "/attempts/" + hers + "/1/env; cat /proc/[0-9]*/environ; ls " + target.data
                            + "/attempts/" + hers + "/1/own");
            assertThat(output).doesNotContain("hunter2");
        }));
        attacks.add(Attack.asRoot(
                "no job ends the daemon",
                "kill -9 DAEMON",
                target -> assertThat(target.outputOf(Person.MALLORY, "kill -9 " + target.pid() + " && echo killed"))
                        .isEmpty()));
        attacks.add(Attack.asRoot(
                "no set-uid program helps a job",
                "grep NoNewPrivs /proc/self/status",
                target -> assertThat(target.outputOf(Person.MALLORY, "grep NoNewPrivs /proc/self/status"))
                        .isEqualTo("NoNewPrivs:\t1\n")));
        return attacks;
    }

    private static List<Attack> floods() {
        List<Attack> attacks = new ArrayList<>();
        for (Person person : List.of(Person.VIEWER, Person.MALLORY)) {
            attacks.add(Attack.of(
                    "the audit log is not flooded by " + person.role, FLOOD + " refused DELETEs", target -> {
                        int before = auditRows(target);
                        for (int i = 0; i < FLOOD; i++) {
                            target.call(person, "DELETE", "/api/v1/jobs/" + (1_000_000 + i), null);
                        }
                        assertThat(auditRows(target) - before).isLessThan(20);
                    }));
        }
        return attacks;
    }

    private static int auditRows(HostileTarget target) throws Exception {
        return target.get(Person.OPERATOR, "/api/v1/audit?limit=1000")
                .json()
                .path("items")
                .size();
    }

    private static String job(String more) {
        String gpus = more.contains("\"gpus\"") ? "" : ",\"gpus\":1";
        return "{\"run\":\"sleep 1000\"" + gpus + "," + more + "}";
    }
}
