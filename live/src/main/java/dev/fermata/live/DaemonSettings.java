package dev.fermata.live;

import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.ConductorSettings;
import java.nio.file.Path;

/**
 * Everything that can be set about a daemon; {@link #in} has the defaults.
 *
 * @param data its folder: database, runs, logs
 * @param store {@code sqlite} (a file in the data folder) or {@code postgresql://user@host:port/db}
 * @param engine {@code local}
 * @param gpus {@code auto}, or {@code virtual:N} with an optional {@code :TYPE}
 * @param runAs {@code auto}: jobs run as the user who submitted them where the daemon may do that; {@code daemon}: as the daemon
 * @param policy as in the catalogue, {@code name} or {@code name:key=value,…}
 * @param shadow decide and record, but touch no job
 */
public record DaemonSettings(
        Path data,
        String store,
        String engine,
        String gpus,
        String runAs,
        String policy,
        boolean shadow,
        ApiSettings api,
        ConductorSettings conductor) {
    public static final int PORT = 7070;

    public static DaemonSettings in(Path data) {
        return new DaemonSettings(
                data.toAbsolutePath().normalize(),
                "sqlite",
                "local",
                "auto",
                "auto",
                "fermata",
                false,
                ApiSettings.local(PORT),
                ConductorSettings.DEFAULT);
    }

    public DaemonSettings withStore(String where) {
        return new DaemonSettings(data, where, engine, gpus, runAs, policy, shadow, api, conductor);
    }

    public DaemonSettings withEngine(String name) {
        return new DaemonSettings(data, store, name, gpus, runAs, policy, shadow, api, conductor);
    }

    public DaemonSettings withGpus(String which) {
        return new DaemonSettings(data, store, engine, which, runAs, policy, shadow, api, conductor);
    }

    public DaemonSettings withRunAs(String whom) {
        return new DaemonSettings(data, store, engine, gpus, whom, policy, shadow, api, conductor);
    }

    public DaemonSettings withPolicy(String text) {
        return new DaemonSettings(data, store, engine, gpus, runAs, text, shadow, api, conductor);
    }

    public DaemonSettings withShadow(boolean on) {
        return new DaemonSettings(data, store, engine, gpus, runAs, policy, on, api, conductor);
    }

    public DaemonSettings withApi(ApiSettings settings) {
        return new DaemonSettings(data, store, engine, gpus, runAs, policy, shadow, settings, conductor);
    }

    public DaemonSettings withConductor(ConductorSettings settings) {
        return new DaemonSettings(data, store, engine, gpus, runAs, policy, shadow, api, settings);
    }
}
