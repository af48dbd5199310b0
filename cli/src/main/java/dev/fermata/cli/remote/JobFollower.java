package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import java.util.List;

/** Follows jobs until they have ended. Survives an absence of the daemon. */
final class JobFollower {
    private static final long FIRST_POLL_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final long TIMEOUT_MILLIS = 120_000;

    private final RemoteCommand command;
    private final DaemonClient api;
    private final Interruption interruption;

    JobFollower(RemoteCommand command, DaemonClient api) {
        this.command = command;
        this.api = api;
        this.interruption = command.invocation.interruption();
    }

    /** Prints the output of each job, one after the other. */
    int followOutput(List<Long> jobs) {
        for (long job : jobs) {
            new LogStream(command, api).follow(job);
            if (interruption.isRequested()) {
                return stopFollowing(jobs);
            }
        }
        return awaitEnds(jobs);
    }

    /** Waits for all of them; fine only if all of them completed. */
    int awaitEnds(List<Long> jobs) {
        int code = ExitCode.OK;
        for (long job : jobs) {
            JobText end = awaitEnd(job);
            if (interruption.isRequested()) {
                return stopFollowing(jobs);
            }
            if (!end.isCompleted()) {
                code = ExitCode.ERROR;
                command.err().println("fermata: " + end.endText());
            } else {
                command.printRemark(end.endText() + ".");
            }
        }
        return code;
    }

    private int stopFollowing(List<Long> jobs) {
        throw UserError.interrupted(
                jobs.size() == 1
                        ? "detached; job " + jobs.get(0) + " continues. End it: fermata cancel " + jobs.get(0)
                        : "detached; the jobs continue. See them: fermata ls");
    }

    private JobText awaitEnd(long job) {
        long pause = FIRST_POLL_MILLIS;
        long outageMillis = 0;
        while (true) {
            JobText now;
            try {
                now = new JobText(api.get(JobId.path(job)));
                outageMillis = 0;
                if (now.isEnded()) {
                    return now;
                }
            } catch (UserError unreachable) {
                now = new JobText(com.fasterxml.jackson.databind.node.MissingNode.getInstance());
                if (unreachable.exitCode() != ExitCode.UNREACHABLE || outageMillis > TIMEOUT_MILLIS) {
                    throw unreachable;
                }
                if (outageMillis == 0) {
                    command.printRemark("no connection to the daemon; the job continues. Waiting for the daemon …");
                }
                outageMillis += pause;
            }
            if (interruption.sleep(pause)) {
                return now;
            }
            pause = Math.min(LONGEST_PAUSE_MILLIS, pause + FIRST_POLL_MILLIS);
        }
    }
}
