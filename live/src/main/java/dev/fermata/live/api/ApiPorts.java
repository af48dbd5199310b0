package dev.fermata.live.api;

import dev.fermata.live.access.TokenService;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.Store;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** What the API needs from the daemon. {@code nowMillis} is the daemon's clock. */
public record ApiPorts(
        SchedulerService scheduler,
        Store store,
        TokenService tokens,
        JobLogs logs,
        ReportInbox reports,
        DaemonMetrics metrics,
        DaemonInfo daemon,
        LongSupplier nowMillis) {
    /**
     * The daemon's description of itself.
     *
     * @param notices sentences for operators
     * @param page the files of the web page by their path; empty for none
     */
    public record DaemonInfo(
            String version, String engine, String policy, List<String> notices, Map<String, byte[]> page) {
        public DaemonInfo(String version, String engine, String policy, List<String> notices) {
            this(version, engine, policy, notices, Map.of());
        }
    }

    Store.StoreReader reader() {
        return store.reader();
    }
}
