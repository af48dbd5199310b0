package dev.fermata.app.replay;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
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
    /** Beyond this a script that counts is not to be believed, or was counted wrong. */
    private static final double FARTHEST = 2;

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
            left(f, line.said(), now);
            counts |= line.said().counted();
            stepMicros = line.said().stepMicros() > 0 ? line.said().stepMicros() : stepMicros;
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

    private void left(Fact.Left fact, Said said, long now) {
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
                fact.usage(),
                said));
        started = null;
        if (fact.next().isFinal()) {
            ended(fact.next(), now);
        }
    }

    /**
     * Whether an attempt got as far as to run. A script that counts, and was lost before it had said anything, had not loaded,
     * whatever the engine took it to have done.
     */
    boolean began(Stay stay) {
        boolean silent =
                counts && stay.outcome() == Outcome.LOST && !stay.said().counted();
        return stay.began() && !silent;
    }

    /** How its script counts. */
    Counting counting() {
        List<Counting.Telling> tellings = new ArrayList<>();
        for (int i = 0; i < stays.size(); i++) {
            tellings.add(telling(i));
        }
        return new Counting(stepMicros / MICROS, tellings);
    }

    private Counting.Telling telling(int place) {
        Counting.Telling usual = Counting.usual(stepMicros / MICROS);
        Stay stay = stays.get(place);
        if (!began(stay)) {
            return usual;
        }
        long ran = stay.ranMillis();
        long known = stay.said().knownMillis() - stay.startedMillis() - stay.loadMillis();
        return new Counting.Telling(
                stay.said().knownMillis() > 0 ? Math.max(1, known) : Math.max(ran + 1, usual.knownAfterMillis()),
                stay.said().toldInLeaving()
                        ? Math.min(ran, usual.toldAfterMillis())
                        : Math.max(ran + 1, usual.toldAfterMillis()),
                believed(place));
    }

    /**
     * How many times as long as it took it was thought to take, after this attempt, or in it if it was the last: a few steps are not all
     * steps, and what is done of a step while it is asked to leave counts as pausing.
     */
    private double believed(int place) {
        Said said = stays.get(place).said();
        boolean last = place == stays.size() - 1;
        long before = place == 0 ? said.steps() : stays.get(place - 1).said().stepsLeft();
        double thought = said.millis(last ? before : said.stepsLeft());
        double took = 0;
        for (Stay later : stays.subList(last ? place : place + 1, stays.size())) {
            took += (double) later.workedMillis()
                    * later.paceMicro()
                    / Math.max(1, stays.get(place).paceMicro());
        }
        boolean sure = end == JobState.COMPLETED
                && said.toldInLeaving()
                && stays.get(place).paceMicro() > 0
                && thought > 0
                && took > 0;
        return sure ? Math.max(1 / FARTHEST, Math.min(FARTHEST, thought / took)) : 1;
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
