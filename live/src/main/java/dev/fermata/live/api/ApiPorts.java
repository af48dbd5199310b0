package dev.fermata.live.api;

import dev.fermata.live.access.TokenService;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.Store;
import java.util.List;
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
    /** The daemon's description of itself; {@code notices} are sentences for operators. */
    public record DaemonInfo(String version, String engine, String policy, List<String> notices) {}

    Store.StoreReader reader() {
        return store.reader();
    }
}
