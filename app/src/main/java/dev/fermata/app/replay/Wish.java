package dev.fermata.app.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Bundle;
import org.jspecify.annotations.Nullable;

/** What a line says was asked for from outside, as the event that it was; what policies decided and engines told is not asked again. */
final class Wish {
    private static final String DAEMON = "daemon";

    private Wish() {}

    static @Nullable Event of(Happened line, @Nullable JobStory story) {
        Fact fact = line.fact();
        if (fact instanceof Fact.Held) {
            return new Event.HoldAsked(fact.jobId());
        } else if (fact instanceof Fact.Released) {
            return new Event.ReleaseAsked(fact.jobId());
        } else if (fact instanceof Fact.Changed f) {
            return new Event.Changed(f.job());
        } else if (fact instanceof Fact.Profiled f) {
            return new Event.Profiled(f.jobId(), f.attempt());
        } else if (fact instanceof Fact.QueuesSet f) {
            return new Event.QueuesSet(f.rules());
        } else if (fact instanceof Fact.Capacity f) {
            return capacity(f);
        } else if (fact instanceof Fact.Cancelling) {
            return new Event.CancelAsked(fact.jobId());
        } else if (fact instanceof Fact.Ended f && f.state() == JobState.CANCELLED && !byItself(line, story)) {
            return new Event.CancelAsked(fact.jobId());
        }
        return null;
    }

    /** Jobs that wait for others are cancelled with them, in the simulation as in reality. */
    private static boolean byItself(Happened line, @Nullable JobStory story) {
        return line.actor().equals(DAEMON)
                && story != null
                && (!story.job.after().isEmpty() || !story.job.bundle().equals(Bundle.NONE));
    }

    private static Event capacity(Fact.Capacity fact) {
        if (fact.isNode()) {
            return fact.up() ? new Event.NodeUp(fact.index()) : new Event.NodeDown(fact.index());
        }
        return fact.up() ? new Event.GpuUp(fact.index()) : new Event.GpuDown(fact.index());
    }
}
