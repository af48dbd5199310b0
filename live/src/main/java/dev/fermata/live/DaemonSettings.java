package dev.fermata.live;

import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.retention.HistoryRetention.RetentionSettings;
import java.nio.file.Path;
import java.util.Map;

/**
 * All settings of a daemon; {@link #forDataFolder} has the defaults.
 *
 * @param data the data folder: database, attempts, logs
 * @param policy as in the catalogue, {@code name} or {@code name:key=value,…}
 * @param shadow whether decisions are recorded but never carried out
 * @param page the files of the web page by their path; empty for none
 */
public record DaemonSettings(
        Path data,
        StoreSettings storage,
        EngineSettings engineSettings,
        String policy,
        boolean shadow,
        ApiSettings api,
        LoopSettings loop,
        Map<String, byte[]> page) {
    public static final int PORT = 7070;

    /**
     * Where history is kept, and for how long.
     *
     * @param location {@code sqlite} (a file in the data folder) or {@code postgresql://user@host:port/db}
     */
    public record StoreSettings(String location, RetentionSettings retention) {}

    /**
     * The engine and its options.
     *
     * @param name {@code local}, or the name of another engine on the class path or of a plugin
     * @param gpus {@code auto}, or {@code virtual:N} with an optional {@code :TYPE}
     * @param runAs {@code auto}: jobs run as their user where the daemon may do that; {@code daemon}: as the daemon
     */
    public record EngineSettings(String name, String gpus, String runAs) {}

    public static DaemonSettings forDataFolder(Path data) {
        return new DaemonSettings(
                data.toAbsolutePath().normalize(),
                new StoreSettings("sqlite", RetentionSettings.DEFAULT),
                new EngineSettings("local", "auto", "auto"),
                "fermata",
                false,
                ApiSettings.local(PORT),
                LoopSettings.DEFAULT,
                Map.of());
    }

    public String store() {
        return storage.location;
    }

    public String engine() {
        return engineSettings.name;
    }

    public String gpus() {
        return engineSettings.gpus;
    }

    public String runAs() {
        return engineSettings.runAs;
    }

    public DaemonSettings withStore(String location) {
        return withStorage(new StoreSettings(location, storage.retention));
    }

    public DaemonSettings withRetention(RetentionSettings retention) {
        return withStorage(new StoreSettings(store(), retention));
    }

    private DaemonSettings withStorage(StoreSettings other) {
        return new DaemonSettings(data, other, engineSettings, policy, shadow, api, loop, page);
    }

    public DaemonSettings withEngine(String name) {
        return withEngineSettings(new EngineSettings(name, gpus(), runAs()));
    }

    public DaemonSettings withGpus(String gpus) {
        return withEngineSettings(new EngineSettings(engine(), gpus, runAs()));
    }

    public DaemonSettings withRunAs(String account) {
        return withEngineSettings(new EngineSettings(engine(), gpus(), account));
    }

    private DaemonSettings withEngineSettings(EngineSettings other) {
        return new DaemonSettings(data, storage, other, policy, shadow, api, loop, page);
    }

    public DaemonSettings withPolicy(String text) {
        return new DaemonSettings(data, storage, engineSettings, text, shadow, api, loop, page);
    }

    public DaemonSettings withShadow(boolean on) {
        return new DaemonSettings(data, storage, engineSettings, policy, on, api, loop, page);
    }

    public DaemonSettings withApi(ApiSettings settings) {
        return new DaemonSettings(data, storage, engineSettings, policy, shadow, settings, loop, page);
    }

    public DaemonSettings withPage(Map<String, byte[]> files) {
        return new DaemonSettings(data, storage, engineSettings, policy, shadow, api, loop, files);
    }

    public DaemonSettings withLoop(LoopSettings settings) {
        return new DaemonSettings(data, storage, engineSettings, policy, shadow, api, settings, page);
    }
}
