package dev.fermata.engine.local;

import dev.fermata.live.attempt.SteadyClock;
import java.io.IOException;

/** Determines the state of an attempt that an earlier daemon started. */
final class AttemptAdoption {
    /** A live shim claims its attempt within this time; after it, the shim is watched in any case. */
    private static final long CLAIM_MILLIS = 10_000;

    private final EngineServices services;
    private final LocalAttempt attempt;
    private final AttemptProcesses processes;
    private final AttemptFolder folder;
    private final int ranks;

    AttemptAdoption(EngineServices services, LocalAttempt attempt, AttemptProcesses processes, int ranks) {
        this.services = services;
        this.attempt = attempt;
        this.processes = processes;
        this.folder = processes.folder();
        this.ranks = ranks;
    }

    void reconcile() throws IOException, InterruptedException {
        processes.setGroup(services.groups().forAttempt(attempt.toString()));
        AttemptFolder.StartOrder order = folder.order();
        if (order != null) {
            attempt.recordOrderTime(order.millis());
        }
        if (order != null && !order.bootId().equals(services.bootId())) {
            attempt.handleMachineRestart();
            return;
        }
        long timeout = SteadyClock.elapsed() + CLAIM_MILLIS;
        while (!attempt.isEnded()) {
            AttemptFolder.ProcessRef shim = folder.shim();
            if (shim != null && shim.alive()) {
                if (hasStarted() || SteadyClock.elapsed() > timeout) {
                    watch();
                    return;
                }
                Thread.sleep(5); // it is about to claim the attempt, or to fail to
            } else if (folder.claim()) {
                handleUnclaimed();
            } else if (folder.shim() == null || !folder.shim().alive()) {
                attempt.handleShimExit(folder.exitCode(), false);
            }
        }
    }

    /** The shim has claimed the attempt and started its command. */
    private boolean hasStarted() {
        return folder.isClaimed() && folder.ranks().size() >= ranks;
    }

    /** No shim can run it any more. If processes run, the job has deleted its own folder and cannot be adopted. */
    private void handleUnclaimed() throws InterruptedException {
        ProcessReaper.ReapResult result =
                processes.reaper().reap(services.settings().stuckTimeoutMillis());
        boolean ran = result.killedCount() > 0;
        attempt.endUnstarted(ran, ran ? "it had deleted its attempt folder" : "it was never started");
    }

    private void watch() throws IOException, InterruptedException {
        attempt.resumeWatching(folder.claimedMillis());
        String name = attempt.toString();
        services.executor()
                .submit(() -> services.executor().retryUntilDone(name, () -> {
                    ShimWatch.awaitExit(folder);
                    services.executor()
                            .submit(() -> services.executor()
                                    .retryUntilDone(name, () -> attempt.handleShimExit(folder.exitCode(), true)));
                }));
    }
}
