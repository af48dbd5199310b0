package dev.fermata.app.replay;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a history tells of one job, from its submission to its end or to the end of the history. */
final class JobStory {
    private static final long MICROS = 1000;

    /** As it was submitted. */
    final Job job;

    final long submittedMillis;
    final List<Stay> stays = new ArrayList<>();
    /** How it ended; null while it lives. */
    @Nullable
    JobState end;

    long endMillis;
    /** Whether its script counts its steps and says how many there are. */
    boolean counts;

    /** What a step of it takes; 0 where nobody knows. */
    private long stepMicros;

    /** When the reports of each attempt first said how long it would take; not positive when they never did. */
    private final List<Long> knownMillis = new ArrayList<>();

    private Fact.@Nullable Started started;
    private long startedMillis;
    private long runningMillis;
    private long pausingMillis;
    private long paceMicro;
    private long pacedMillis;
    private long ranMillis;
    private double workMicro;

    private JobStory(Job job, long submittedMillis) {
        this.job = job;
        this.submittedMillis = submittedMillis;
    }

    /** All jobs that are submitted in a history, in that order. */
    static Map<Long, JobStory> all(List<Happened> lines) {
        Map<Long, JobStory> stories = new LinkedHashMap<>();
        for (Happened line : lines) {
            if (line.fact() instanceof Fact.Submitted f) {
                stories.put(f.jobId(), new JobStory(f.job(), line.atMillis()));
            } else if (line.fact() instanceof Fact.Refused f) {
                JobStory refused = new JobStory(f.job(), line.atMillis());
                refused.ended(JobState.UNSATISFIABLE, line.atMillis());
                stories.put(f.jobId(), refused);
            } else {
                JobStory story = stories.get(line.fact().jobId());
                if (story != null) {
                    story.hear(line);
                }
            }
        }
        return stories;
    }

    private void hear(Happened line) {
        long now = line.atMillis();
        if (line.fact() instanceof Fact.Started f) {
            started = f;
            startedMillis = now;
            runningMillis = -1;
            pausingMillis = -1;
            paceMicro = 0;
            pacedMillis = now;
            ranMillis = 0;
            workMicro = 0;
        } else if (line.fact() instanceof Fact.Running f) {
            runningMillis = now;
            pace(now, f.paceMicro());
        } else if (line.fact() instanceof Fact.Paced f) {
            pace(now, f.paceMicro());
        } else if (line.fact() instanceof Fact.Pausing || line.fact() instanceof Fact.Profiled) {
            pace(now, 0);
            pausingMillis = now;
        } else if (line.fact() instanceof Fact.Left f) {
            if (started != null) {
                knownMillis.add(line.knownMillis());
            }
            left(f, now);
            counts |= line.counted();
            stepMicros = line.stepMicros() > 0 ? line.stepMicros() : stepMicros;
        } else if (line.fact() instanceof Fact.Ended f) {
            ended(f.state(), now);
        }
    }

    private void pace(long now, long micro) {
        if (paceMicro > 0) {
            ranMillis += now - pacedMillis;
            workMicro += (double) (now - pacedMillis) * paceMicro;
        }
        paceMicro = micro;
        pacedMillis = now;
    }

    private void left(Fact.Left fact, long now) {
        Fact.Started begun = started;
        if (begun == null) {
            return;
        }
        pace(now, 0);
        stays.add(new Stay(
                begun.allocation(),
                begun.resumed(),
                startedMillis,
                runningMillis,
                pausingMillis,
                now,
                ranMillis == 0 ? 0 : Math.round(workMicro / ranMillis),
                fact.outcome(),
                fact.usage()));
        started = null;
        if (fact.next().isFinal()) {
            ended(fact.next(), now);
        }
    }

    /** How its script counts. */
    Counting counting() {
        Counting usual = new Counting(stepMicros / MICROS, List.of());
        List<Long> known = new ArrayList<>();
        for (int i = 0; i < stays.size(); i++) {
            Stay stay = stays.get(i);
            long loaded = stay.startedMillis() + stay.loadMillis();
            long ran = stay.usage().usefulMillis() + stay.usage().lostMillis();
            known.add(
                    knownMillis.get(i) > 0
                            ? Math.max(1, knownMillis.get(i) - loaded)
                            : Math.max(ran + 1, usual.knownAfterMillis(1)));
        }
        return new Counting(stepMicros / MICROS, known);
    }

    private void ended(JobState state, long now) {
        end = state;
        endMillis = now;
    }

    /** The GPUs it holds at the end of the history, and since when; null when it holds none. */
    @Nullable
    Allocation held() {
        return started == null ? null : started.allocation();
    }

    long heldSinceMillis() {
        return startedMillis;
    }
}
