package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;

/** One sentence for people about how an attempt ended. */
final class Detail {
    private Detail() {}

    /**
     * @param limitMillis its time limit, which may have changed since it was launched
     * @param outOfMemory how many of its processes the kernel ended because its memory was used up
     * @param lastWords the last line it wrote to standard error
     * @param swept what was cleaned up
     */
    static String of(Ending ending, Launch launch, long limitMillis, long outOfMemory, String lastWords, String swept) {
        List<String> parts = new ArrayList<>();
        Outcome outcome = ending.outcome();
        if (outcome == Outcome.FAILED) {
            parts.add(failure(ending));
            parts.add(lastWords);
        } else if (outcome == Outcome.OOM) {
            parts.add(shortage(ending, launch, outOfMemory));
            parts.add(lastWords);
        } else if (outcome == Outcome.TIMEOUT) {
            parts.add("stopped at its time limit of " + limitMillis / 1000 + " s");
        } else if (outcome == Outcome.LOST) {
            parts.add(loss(ending, launch.spec()));
        }
        if (!ending.killed()) {
            parts.add(swept);
        }
        parts.removeIf(String::isEmpty);
        return String.join("; ", parts);
    }

    private static String shortage(Ending ending, Launch launch, long outOfMemory) {
        if (ending.leave() != null) {
            return "it held more than the " + launch.promisedMib() + " MiB of a shared GPU that it was promised";
        }
        if (outOfMemory > 0) {
            return "the kernel ended it because it used more than its " + launch.memoryMib() + " MiB of memory";
        }
        return ending.shortage() == Shortage.GPU_MEMORY
                ? "its GPU was out of memory"
                : "the machine had no memory left for it";
    }

    private static String failure(Ending ending) {
        if (ending.code() == null) {
            return "the process that watches over it was killed";
        }
        if (ending.signal() == 9) {
            return "ended by KILL, which Fermata did not send: perhaps the machine is out of memory";
        }
        return ending.signal() > 0 ? "ended by the signal " + Signal.nameOf(ending.signal()) : "";
    }

    private static String loss(Ending ending, JobSpec spec) {
        RunFolder.Leave leave = ending.leave();
        if (leave == null) {
            return "it ended while no daemon was there, and nobody knows how";
        }
        if (ending.killed()) {
            long grace = leave.deadlineMillis() - leave.askedMillis();
            return "did not leave within its grace of " + grace / 1000 + " s and was killed";
        }
        if (ending.couldNotSave()) {
            return "could not save";
        }
        return leave.caught()
                ? "left without saying that it saved"
                : "nothing in it listens to " + Signal.named(spec.checkpoint().signal())
                        + ": what it had not saved is lost";
    }
}
