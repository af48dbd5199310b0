package dev.fermata.live.api;

import dev.fermata.live.access.TokenBook;
import dev.fermata.live.conductor.Desk;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Store;
import java.util.List;
import java.util.function.LongSupplier;

/** What the door needs of the house behind it. {@code nowMillis} is the daemon's clock. */
public record ApiPorts(
        Desk desk, Store store, TokenBook tokens, JobLogs logs, Meters meters, About about, LongSupplier nowMillis) {
    /** What the daemon says of itself; {@code remarks} are sentences for operators. */
    public record About(String version, String engine, String policy, List<String> remarks) {}

    Store.Reader reader() {
        return store.reader();
    }
}
