package dev.fermata.app.cli.daemon;

import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.exit.Interruption;
import java.util.List;

/** Stays with jobs until they have ended. The daemon may be away for a while meanwhile: the jobs are not. */
final class Following {
    private static final long FIRST_LOOK_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final long PATIENCE_MILLIS = 120_000;

    private final Verb verb;
    private final Door door;
    private final Interruption interruption;

    Following(Verb verb, Door door) {
        this.verb = verb;
        this.door = door;
        this.interruption = verb.surroundings.interruption();
    }

    /** Prints what each job prints, one after the other. */
    int output(List<Long> jobs) {
        for (long job : jobs) {
            new LogStream(verb, door).follow(job);
            if (interruption.asked()) {
                return interrupted(jobs);
            }
        }
        return ends(jobs);
    }

    /** Waits for all of them; fine only if all of them completed. */
    int ends(List<Long> jobs) {
        int code = ExitCode.FINE;
        for (long job : jobs) {
            JobView end = end(job);
            if (interruption.asked()) {
                return interrupted(jobs);
            }
            if (!end.completed()) {
                code = ExitCode.ERROR;
                verb.err().println("fermata: " + end.ending());
            } else {
                verb.remark(end.ending() + ".");
            }
        }
        return code;
    }

    private int interrupted(List<Long> jobs) {
        throw Complaint.interrupted(
                jobs.size() == 1
                        ? "left; job " + jobs.get(0) + " goes on. End it: fermata cancel " + jobs.get(0)
                        : "left; the jobs go on. See them: fermata ls");
    }

    private JobView end(long job) {
        long pause = FIRST_LOOK_MILLIS;
        long away = 0;
        while (true) {
            JobView now;
            try {
                now = new JobView(door.get(JobId.path(job)));
                away = 0;
                if (now.ended()) {
                    return now;
                }
            } catch (Complaint gone) {
                now = new JobView(com.fasterxml.jackson.databind.node.MissingNode.getInstance());
                if (gone.exitCode() != ExitCode.UNREACHABLE || away > PATIENCE_MILLIS) {
                    throw gone;
                }
                if (away == 0) {
                    verb.remark("the daemon is away; the job goes on, waiting for the daemon to come back …");
                }
                away += pause;
            }
            if (interruption.pause(pause)) {
                return now;
            }
            pause = Math.min(LONGEST_PAUSE_MILLIS, pause + FIRST_LOOK_MILLIS);
        }
    }
}
