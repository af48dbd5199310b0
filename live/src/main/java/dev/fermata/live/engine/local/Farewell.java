package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Measured;
import java.util.HashSet;
import java.util.Set;

/** What is said of an attempt at its end, and what is done about processes that nothing can end. */
final class Farewell {
    private final Shop shop;
    private final Launch launch;
    private final Remains remains;
    private final long paceMicro;
    private final LastWords lastWords;
    private boolean stuckDeclared;

    Farewell(Shop shop, Launch launch, Remains remains, long paceMicro) {
        this.shop = shop;
        this.launch = launch;
        this.remains = remains;
        this.paceMicro = paceMicro;
        this.lastWords = new LastWords(shop.logs(), launch);
    }

    private static Shortage shortage(Ending ending) {
        return ending.outcome() == Outcome.OOM && ending.leave() != null ? Shortage.GPU_MEMORY : ending.shortage();
    }

    /** Takes GPUs out of service whose processes are still there after everything was tried. */
    synchronized void declareStuck(Sweep.Rest rest) {
        if (!rest.stuck().isEmpty() && !stuckDeclared) {
            stuckDeclared = true;
            Set<Integer> gpus = new HashSet<>();
            for (int i = 0; i < launch.allocation().size(); i++) {
                gpus.add(launch.allocation().gpu(i));
            }
            new StuckGpus(shop, gpus, launch.jobId() + "." + launch.attempt()).declare(remains.sweep());
        }
    }

    String detail(Ending ending, long limitMillis, String swept) {
        return Detail.of(ending, launch, limitMillis, remains.group().outOfMemoryKills(), lastWords.line(), swept);
    }

    /** The same end, with why it failed if its last words or the kernel tell. */
    Ending judged(Ending ending) {
        return ending.outcome() != Outcome.FAILED
                ? ending
                : ending.dueTo(
                        lastWords.shortage(ending.signal(), remains.group().outOfMemoryKills()));
    }

    /** Its end, as the conductor is told. */
    News.Happened news(Ending ending, long orderedMillis, long runEndMillis, Phases phases, GpuUse use, String detail) {
        Usage usage = ending.usage(
                orderedMillis,
                runEndMillis,
                System.currentTimeMillis(),
                launch.savedWorkMillis(),
                launch.spec().checkpoint().everyMillis(),
                paceMicro);
        int signal = ending.signal();
        return new News.Happened(
                new Event.Left(launch.jobId(), launch.attempt(), ending.outcome(), usage),
                new News.Exit(
                        signal > 0 ? null : ending.code(),
                        signal,
                        detail,
                        shortage(ending),
                        ending.watched() || ending.code() == null ? -1 : runEndMillis),
                measured(ending, orderedMillis, usage, phases).withGpu(use.busyPermille(), use.peakMib()));
    }

    private static Measured measured(Ending ending, long orderedMillis, Usage usage, Phases phases) {
        RunFolder.Leave leave = ending.leave();
        Outcome outcome = ending.outcome();
        boolean began = ending.code() != null || ending.killed() || (leave != null && leave.caught());
        boolean paused = leave != null
                && began
                && leave.why() == RunFolder.Why.PAUSE
                && (outcome == Outcome.PAUSED || outcome == Outcome.LOST);
        return phases.measured(
                orderedMillis,
                usage.loadMillis(),
                leave == null ? -1 : leave.askedMillis(),
                paused ? usage.pauseMillis() : -1,
                outcome == Outcome.PAUSED);
    }
}
