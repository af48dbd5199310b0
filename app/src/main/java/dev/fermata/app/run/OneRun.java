package dev.fermata.app.run;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.Setting;
import dev.fermata.app.output.EventLines;
import dev.fermata.app.output.Progress;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.portrait.Portrait;
import dev.fermata.sim.workload.Workload;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Runs one policy on one workload while progress, event file and Ctrl-C are served. */
public final class OneRun {
    private final Setting setting;
    private final Optional<EventLines> events;
    private final Optional<Portrait.Detail> detail;
    private final BooleanSupplier stop;

    /** @param detail of the portrait that a report needs, if there is to be one */
    public OneRun(
            Setting setting, Optional<EventLines> events, Optional<Portrait.Detail> detail, Interruption interruption) {
        this(setting, events, detail, interruption::asked);
    }

    OneRun(Setting setting, Optional<EventLines> events, Optional<Portrait.Detail> detail, BooleanSupplier stop) {
        this.setting = setting;
        this.events = events;
        this.detail = detail;
        this.stop = stop;
    }

    /** A workload of which no job can run is the user's mistake. */
    public Measured run(Workload workload, double lowerBound, PolicySpec policy, long seed, Progress.Track track) {
        Watch watch = new Watch(track);
        RunResult result;
        try {
            result = setting.experiment(workload, policy, seed).run(lowerBound, watch, detail);
        } catch (IllegalStateException e) {
            throw Complaint.failed(policy.text() + ", seed " + seed + ": " + e.getMessage(), e);
        }
        int jobs = workload.jobs().size();
        if (watch.refusals.count() == jobs) {
            throw Complaint.invalid("no job of " + workload.name() + " can ever run on "
                    + setting.cluster().name() + ". The first: " + watch.refusals.first());
        }
        return new Measured(setting, policy, jobs, result, watch.refusals);
    }

    /** Hears the history of the run. */
    private final class Watch implements Experiment.Watcher {
        private final Progress.Track track;
        private Refusals refusals = Refusals.NONE;

        Watch(Progress.Track track) {
            this.track = track;
        }

        @Override
        public void fact(long nowMillis, Fact fact) {
            if ((fact instanceof Fact.Left left && left.next().isFinal()) || fact instanceof Fact.Ended) {
                track.jobEnded();
            } else if (fact instanceof Fact.Refused refused) {
                refusals = refusals.and(refused);
                track.jobEnded();
            }
            events.ifPresent(lines -> lines.write(nowMillis, fact));
        }

        @Override
        public boolean stop() {
            return stop.getAsBoolean();
        }
    }
}
