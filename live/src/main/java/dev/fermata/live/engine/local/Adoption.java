package dev.fermata.live.engine.local;

import java.io.IOException;

/** Finds out what became of an attempt that an earlier daemon ordered. */
final class Adoption {
    /** A shim that lives has claimed its attempt after this time; else something holds it, and it is watched all the same. */
    private static final long CLAIM_MILLIS = 10_000;

    private final Shop shop;
    private final Attempt attempt;
    private final Remains remains;
    private final RunFolder folder;
    private final int ranks;

    Adoption(Shop shop, Attempt attempt, Remains remains, int ranks) {
        this.shop = shop;
        this.attempt = attempt;
        this.remains = remains;
        this.folder = remains.folder();
        this.ranks = ranks;
    }

    void findOut() throws IOException, InterruptedException {
        remains.use(shop.groups().of(attempt.toString()));
        RunFolder.Order order = folder.order();
        if (order != null) {
            attempt.orderedBefore(order.millis());
        }
        if (order != null && !order.boot().equals(shop.boot())) {
            attempt.afterRestart();
            return;
        }
        long patience = System.currentTimeMillis() + CLAIM_MILLIS;
        while (!attempt.isOver()) {
            RunFolder.Known shim = folder.shim();
            if (shim != null && shim.alive()) {
                if (begun() || System.currentTimeMillis() > patience) {
                    watch();
                    return;
                }
                Thread.sleep(5); // it is about to claim the attempt, or to find that it cannot
            } else if (folder.claim()) {
                neverClaimed();
            } else if (folder.shim() == null || !folder.shim().alive()) {
                attempt.shimGone(folder.exitCode(), false);
            }
        }
    }

    /** The shim has claimed it and started its command. */
    private boolean begun() {
        return folder.claimed() && folder.ranks().size() >= ranks;
    }

    /** Nobody can run it any more. If it runs all the same, it has deleted its own folder and is beyond help. */
    private void neverClaimed() throws InterruptedException {
        Sweep.Rest rest = remains.sweep().run(shop.settings().stuckMillis());
        boolean ran = rest.ended() > 0;
        attempt.neverBegan(ran, ran ? "it had deleted its own folder" : "it was never started");
    }

    private void watch() {
        attempt.runsSince(folder.claimedMillis());
        String name = attempt.toString();
        shop.work()
                .now(() -> shop.work().untilDone(name, () -> {
                    Watch.untilGone(folder);
                    shop.work().now(() -> shop.work().untilDone(name, () -> attempt.shimGone(folder.exitCode(), true)));
                }));
    }
}
