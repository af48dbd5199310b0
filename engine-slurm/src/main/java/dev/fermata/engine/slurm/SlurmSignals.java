package dev.fermata.engine.slurm;

import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.spec.JobSpec;
import java.util.Set;

/** The signals that {@code attempt.sh} forwards. */
final class SlurmSignals {
    /** To {@code attempt.sh}: an exit request is there. Programs ignore it. */
    static final String REQUEST = "URG";

    private static final Set<String> FORWARDED = Set.of("TERM", "USR1", "USR2", "INT");

    private SlurmSignals() {}

    /** The signal on which a job saves and exits. */
    static String nameOf(JobSpec spec) {
        String name = spec.checkpoint().signal();
        return FORWARDED.contains(name) ? name : "TERM";
    }

    static String nameOf(JobSpec spec, TerminationCause cause) {
        return cause == TerminationCause.KILL ? "TERM" : nameOf(spec);
    }
}
