package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.News;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GPUs on which a process hangs inside the kernel, where not even KILL reaches it. They are out of service until it is gone; the job itself need
 * not wait for that.
 */
final class StuckGpus {
    private static final Logger LOG = LoggerFactory.getLogger(StuckGpus.class);
    private static final long AGAIN_MILLIS = 2_000;

    private final Shop shop;
    private final Allocation gpus;
    private final String attempt;

    StuckGpus(Shop shop, Allocation gpus, String attempt) {
        this.shop = shop;
        this.gpus = gpus;
        this.attempt = attempt;
    }

    void declare(Sweep sweep) {
        LOG.warn("job {} left a process that cannot be ended; its GPUs are out of service until it is gone", attempt);
        for (int i = 0; i < gpus.size(); i++) {
            shop.inbox().accept(new News.Happened(new Event.GpuDown(gpus.gpu(i)), null));
        }
        shop.work().after(AGAIN_MILLIS, () -> again(sweep));
    }

    private void again(Sweep sweep) throws InterruptedException {
        if (!sweep.run(0).stuck().isEmpty()) {
            shop.work().after(AGAIN_MILLIS, () -> again(sweep));
            return;
        }
        LOG.info("what job {} left behind is gone; its GPUs are in service again", attempt);
        for (int i = 0; i < gpus.size(); i++) {
            shop.inbox().accept(new News.Happened(new Event.GpuUp(gpus.gpu(i)), null));
        }
    }
}
