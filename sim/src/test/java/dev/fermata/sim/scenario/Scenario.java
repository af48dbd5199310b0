package dev.fermata.sim.scenario;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
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
import dev.fermata.sim.Play;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A story in a few lines of text.
 *
 * <pre>
 * cluster 1x4
 * policy srtf
 * t=0 job A 4 gpus 100s pause=5s build=10s
 * expect
 * 0s A starts on node0[0-3]
 * </pre>
 *
 * Options of a job: pause build restore warmup grace checkpoint declared (times), min, mem (MiB), types (V100|K80), priority,
 * budget, class (trial), beat (active/idle milliseconds), stays (what its pause really takes), queue, after (A or A:any), array and atmost. Further lines:
 * {@code estimator declared}, {@code faults node=300s repair=60s seed=3}, {@code queue research guarantee=4 limit=8 weight=2},
 * {@code t=5 hold A}, {@code t=9 release A}.
 */
final class Scenario {
    private final List<String> expected = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Map<Long, String> names = new HashMap<>();
    private final Map<String, Long> ids = new HashMap<>();
    private final Map<Long, Long> startedAt = new HashMap<>();
    private Topology topology = ClusterSpec.parse("1x1");
    private String policy = "fifo";
    private String estimator = "oracle";
    private Faults.Rates faults = Faults.Rates.NONE;
    private long seed;
    private final List<String[]> jobs = new ArrayList<>();
    private final List<String[]> requests = new ArrayList<>();
    private final List<QueueRule> rules = new ArrayList<>();
    private final Map<String, Long> arrays = new HashMap<>();

    static Scenario read(List<String> lines) {
        Scenario scenario = new Scenario();
        boolean story = true;
        for (String raw : lines) {
            String line = raw.replaceFirst("#.*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            if (line.equals("expect")) {
                story = false;
            } else if (story) {
                scenario.tell(line.split("\\s+"));
            } else {
                scenario.expected.add(line);
            }
        }
        return scenario;
    }

    private void tell(String[] words) {
        switch (words[0]) {
            case "cluster" -> topology = ClusterSpec.parse(words[1]);
            case "policy" -> policy = words[1];
            case "queue" -> {
                Map<String, String> options = options(words, 2);
                rules.add(new QueueRule(
                        words[1],
                        Integer.parseInt(options.getOrDefault("guarantee", "0")),
                        Integer.parseInt(options.getOrDefault("limit", "" + QueueRule.NO_LIMIT)),
                        Double.parseDouble(options.getOrDefault("weight", "1"))));
            }
            case "estimator" -> estimator = words[1];
            case "faults" -> {
                Map<String, String> options = options(words, 1);
                faults = new Faults.Rates(millis(options, "node", "0"), 0, millis(options, "repair", "60s"));
                seed = Long.parseLong(options.getOrDefault("seed", "1"));
            }
            default -> (words[1].equals("job") ? jobs : requests).add(words);
        }
    }

    List<String> expected() {
        return expected;
    }

    List<String> play() {
        Play play = Play.on(topology, policy).estimator(estimator).faults(faults, seed);
        long id = 1;
        for (String[] words : jobs) {
            names.put(id, words[2]);
            ids.put(words[2], id);
            play.job(trueJob(job(id++, words), words));
        }
        if (!rules.isEmpty()) {
            play.request(0, new Event.QueuesSet(rules));
        }
        for (String[] words : requests) {
            long job = ids.get(words[2]);
            play.request(
                    millis(words[0].substring("t=".length())) / 1000,
                    words[1].equals("hold") ? new Event.HoldAsked(job) : new Event.ReleaseAsked(job));
        }
        play.run((now, fact) -> note(now, fact, play));
        return told;
    }

    private static TrueJob trueJob(Job job, String[] words) {
        TrueJob plain = TrueJob.of(job, millis(words[0].substring("t=".length())), millis(words[5]));
        String stays = options(words, 6).get("stays");
        Costs told = job.costs();
        return stays == null
                ? plain
                : new TrueJob(
                        job,
                        plain.submitMillis(),
                        plain.durationMillis(),
                        plain.peakMemoryMib(),
                        new Costs(millis(stays), told.buildMillis(), told.restoreMillis(), told.warmupMillis()));
    }

    /** {@code t=0 job A 4 gpus 100s key=value ...}. */
    private Job job(long id, String[] words) {
        Map<String, String> options = options(words, 6);
        int gpus = Integer.parseInt(words[3]);
        String types = options.getOrDefault("types", "");
        return Job.builder(id, gpus)
                .name(words[2])
                .jobClass(
                        JobClass.valueOf(options.getOrDefault("class", "batch").toUpperCase(Locale.ROOT)))
                .demand(new Demand(
                        Integer.parseInt(options.getOrDefault("min", words[3])),
                        gpus,
                        Integer.parseInt(options.getOrDefault("mem", "0")),
                        1000,
                        types.isEmpty() ? List.of() : List.of(types.split("\\|", -1)),
                        0,
                        0))
                .costs(new Costs(
                        millis(options, "pause", "0"),
                        millis(options, "build", "0"),
                        millis(options, "restore", "0"),
                        millis(options, "warmup", "0")))
                .profile(profile(options))
                .graceMillis(millis(options, "grace", "120s"))
                .checkpointMillis(millis(options, "checkpoint", "0"))
                .declaredMillis(millis(options, "declared", "0"))
                .priority(Integer.parseInt(options.getOrDefault("priority", "0")))
                .maxPreemptions(Integer.parseInt(options.getOrDefault("budget", "1000")))
                .queue(options.getOrDefault("queue", "default"))
                .after(after(options.get("after")))
                .bundle(bundle(id, options))
                .build();
    }

    private List<After> after(String text) {
        if (text == null) {
            return List.of();
        }
        String[] parts = text.split(":", 2);
        String end = parts.length > 1 ? parts[1] : "success";
        return List.of(new After(ids.get(parts[0]), After.Wanted.valueOf(end.toUpperCase(Locale.ROOT))));
    }

    private Bundle bundle(long id, Map<String, String> options) {
        String name = options.get("array");
        return name == null
                ? Bundle.NONE
                : new Bundle(
                        arrays.computeIfAbsent(name, n -> id),
                        0,
                        Integer.parseInt(options.getOrDefault("atmost", "0")));
    }

    /** {@code beat=900/1500}: active and idle milliseconds of an iteration; nothing is known of a job without it. */
    private static Profile profile(Map<String, String> options) {
        if (!options.containsKey("beat")) {
            return Profile.UNKNOWN;
        }
        String[] beat = options.get("beat").split("/", 2);
        double active = Double.parseDouble(beat[0]);
        double iteration = active + Double.parseDouble(beat[1]);
        return new Profile("", iteration, active / iteration, 0, 1, 0, Map.of());
    }

    private static Map<String, String> options(String[] words, int from) {
        Map<String, String> options = new HashMap<>();
        for (int i = from; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            options.put(pair[0], pair[1]);
        }
        return options;
    }

    private static long millis(Map<String, String> options, String key, String otherwise) {
        return millis(options.getOrDefault(key, otherwise));
    }

    private static long millis(String text) {
        return Math.round(Double.parseDouble(text.replaceFirst("s$", "")) * 1000);
    }

    private void note(long now, Fact fact, Play play) {
        String name = names.get(fact.jobId());
        if (fact instanceof Fact.Submitted) {
            waits(now, fact.jobId(), play);
        } else if (fact instanceof Fact.Refused f) {
            say(now, name + " is refused: " + reason(f.verdict()));
        } else if (fact instanceof Fact.Started f) {
            startedAt.put(f.jobId(), now);
            say(now, name + (f.resumed() ? " resumes on " : " starts on ") + place(f.allocation()));
        } else if (fact instanceof Fact.Running f && startedAt.get(f.jobId()) < now) {
            say(now, name + " has loaded");
        } else if (fact instanceof Fact.Pausing f) {
            say(now, f.beneficiary() == f.jobId() ? name + " moves" : names.get(f.beneficiary()) + " pauses " + name);
        } else if (fact instanceof Fact.Promised f) {
            say(now, name + " is promised " + place(f.allocation()));
        } else if (fact instanceof Fact.Unpromised) {
            say(now, name + " loses its promise");
        } else if (fact instanceof Fact.Left f) {
            say(now, name + " " + f.outcome().name().toLowerCase(java.util.Locale.ROOT));
            if (f.next() == JobState.PENDING) {
                waits(now, f.jobId(), play);
            }
        } else if (fact instanceof Fact.Held) {
            say(now, name + " is put on hold");
        } else if (fact instanceof Fact.Released) {
            say(now, name + " is released");
        } else if (fact instanceof Fact.Ended f) {
            say(now, name + " " + f.state().name().toLowerCase(Locale.ROOT));
        } else if (fact instanceof Fact.Capacity f) {
            say(now, f.gpusUp() + " gpus up");
        } else if (fact instanceof Fact.Rejected f) {
            say(now, "REJECTED " + f);
        }
    }

    private void waits(long now, long id, Play play) {
        Verdict verdict = play.scheduler().explain(id);
        if (verdict != null) {
            say(now, names.get(id) + " waits: " + reason(verdict));
        }
    }

    private static String reason(Verdict verdict) {
        return verdict.reason() + " needs " + verdict.needed() + " has " + verdict.available();
    }

    private void say(long now, String what) {
        String time = now % 1000 == 0 ? Long.toString(now / 1000) : Double.toString(now / 1000.0);
        told.add(time + "s " + what);
        if (told.size() > 200) {
            throw new AssertionError("the story never ends: " + told.subList(0, 40));
        }
    }

    /** {@code node0[0-3] node1[2]}: GPUs numbered inside their node. */
    private String place(Allocation allocation) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int first = topology.node(allocation.node(k)).firstGpu();
            out.append(k == 0 ? "" : " ")
                    .append(topology.node(allocation.node(k)).name())
                    .append('[');
            int end = i + allocation.gpusOn(k);
            for (boolean more = false; i < end; more = true) {
                int from = allocation.gpu(i);
                int to = from;
                for (i++; i < end && allocation.gpu(i) == to + 1; i++) {
                    to++;
                }
                out.append(more ? "," : "").append(from - first).append(to > from ? "-" + (to - first) : "");
            }
            out.append(']');
        }
        return out.append(allocation.shared() ? " shared" : "").toString();
    }
}
