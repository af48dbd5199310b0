package dev.fermata.core.policy.tune;

import dev.fermata.core.model.Tier;
import java.util.TreeMap;

/**
 * Dally's auto-tuner. It sets how many leases a job waits for one machine, and then for one rack, from how long jobs of
 * its size recently had to wait for them.
 *
 * <pre>
 * d(g)   = 1 without history, else mean + 2 sigma of the waits noted in the last H leases
 * T_rack = min(ceil(0.8 H), max( 6, ceil(d_machine(g))))
 * T_net  = min(H,           max(12, ceil(d_rack(g))))
 * </pre>
 *
 * <p>Sharma et al., "GPU Cluster Scheduling for Network-Sensitive Deep Learning", 2024; formulas from the authors'
 * simulator. O(log sizes) a note.
 */
public final class DelayTuner {
    private static final int MIN_RACK_LEASES = 6;
    private static final int MIN_NET_LEASES = 12;
    private static final double RACK_SHARE = 0.8;
    /** A sum that should be whole is not always so to the last bit. */
    private static final double ROUNDING = 1e-9;

    /** Timers of one size of gang, from waits for one machine and for one rack. */
    private static final class GangTimers {
        final WaitHistory machine = new WaitHistory();
        final WaitHistory rack = new WaitHistory();
        int rackLeases = -1;
        int netLeases = -1;
        boolean changed;
    }

    private final long leaseMillis;
    private final int historyLeases;
    private final TreeMap<Integer, GangTimers> sizes = new TreeMap<>();

    public DelayTuner(long leaseMillis, int historyLeases) {
        this.leaseMillis = leaseMillis;
        this.historyLeases = historyLeases;
    }

    /** A gang of this size got a place of this tier after waiting so long. Less than a lease teaches nothing. */
    public void recordWait(int gpus, Tier tier, long nowMillis, long waitedMillis) {
        if (waitedMillis >= leaseMillis && tier != Tier.NETWORK) {
            GangTimers size = size(gpus);
            (tier == Tier.RACK ? size.rack : size.machine).add(nowMillis, (double) waitedMillis / leaseMillis);
            updateTimers(size);
        }
    }

    /** Forgets what is older than the history; returns whether a timer moved since the last call. */
    public boolean refresh(long nowMillis) {
        boolean changed = false;
        long old = nowMillis - historyLeases * leaseMillis;
        for (GangTimers size : sizes.values()) {
            boolean forgot = size.machine.removeUntil(old);
            if (size.rack.removeUntil(old) || forgot) {
                updateTimers(size);
            }
            changed |= size.changed;
            size.changed = false;
        }
        return changed;
    }

    /** Leases to wait before a rack will do. */
    public int rackLeases(int gpus) {
        return size(gpus).rackLeases;
    }

    /** Leases to wait before any place will do. */
    public int netLeases(int gpus) {
        return size(gpus).netLeases;
    }

    private void updateTimers(GangTimers size) {
        int rack = (int)
                Math.min(ceil(RACK_SHARE * historyLeases), Math.max(MIN_RACK_LEASES, ceil(size.machine.upperBound())));
        int net = (int) Math.min(historyLeases, Math.max(MIN_NET_LEASES, ceil(size.rack.upperBound())));
        size.changed |= rack != size.rackLeases || net != size.netLeases;
        size.rackLeases = rack;
        size.netLeases = net;
    }

    private static double ceil(double value) {
        return Math.ceil(value - ROUNDING);
    }

    private GangTimers size(int gpus) {
        return sizes.computeIfAbsent(gpus, g -> {
            GangTimers fresh = new GangTimers();
            updateTimers(fresh);
            fresh.changed = false;
            return fresh;
        });
    }
}
