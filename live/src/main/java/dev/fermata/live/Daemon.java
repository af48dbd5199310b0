package dev.fermata.live;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.api.ApiPorts;
import dev.fermata.live.api.ApiServer;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.Desk;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.local.LocalEngine;
import dev.fermata.live.engine.local.LocalSettings;
import dev.fermata.live.engine.local.RunAs;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon put together: store, engine, conductor and the HTTP door, opened in this order and closed in the other. */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private final DaemonSettings settings;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Store store;
    private final LiveEngine engine;
    private final Conductor conductor;
    private final TokenBook tokens;
    private final ApiServer api;

    private Daemon(DaemonSettings settings, String version, @Nullable Foresight foresight) {
        this.settings = settings;
        try {
            PolicySpec policy = PolicySpec.parse(settings.policy());
            DataFolder.make(settings.data());
            Meters meters = new Meters();
            LocalEngine local = local(settings);
            engine = opened(local);
            store = opened(Stores.open(settings.store(), settings.data()));
            conductor = opened(new Conductor(
                    store,
                    engine,
                    policy,
                    settings.conductor(),
                    settings.shadow(),
                    new SteadyClock(),
                    meters,
                    foresight));
            conductor.start();
            conductor.seated().join();
            failIfStopped();
            tokens = new TokenBook(store.tokens(), System::currentTimeMillis);
            ApiPorts.About about = new ApiPorts.About(version, engine.name(), settings.policy(), conductor.remarks());
            JobLogs logs = local.logs();
            api = opened(ApiServer.start(
                    settings.api(),
                    new ApiPorts(conductor.desk(), store, tokens, logs, meters, about, System::currentTimeMillis)));
            conductor.ready().join();
            failIfStopped();
            api.readAhead();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Starts everything and comes back when jobs are scheduled, or when another daemon leads and this one stands by. Throws with a
     * sentence for the operator when that cannot be.
     */
    public static Daemon start(DaemonSettings settings, String version) {
        return new Daemon(settings, version, null);
    }

    /** The same with somebody who can tell when jobs will start. */
    public static Daemon start(DaemonSettings settings, String version, Foresight foresight) {
        return new Daemon(settings, version, foresight);
    }

    private static LocalEngine local(DaemonSettings settings) {
        if (!settings.engine().equals("local")) {
            throw new IllegalArgumentException("unknown engine '" + settings.engine()
                    + "'. Known: local (the jobs are processes of this machine)");
        }
        RunAs runAs = switch (settings.runAs()) {
            case "auto", "daemon" -> RunAs.valueOf(settings.runAs().toUpperCase(Locale.ROOT));
            default ->
                throw new IllegalArgumentException("jobs cannot run as '" + settings.runAs()
                        + "'. Known: auto (as whoever submitted them, where that is allowed), daemon");
        };
        return LocalEngine.of(
                LocalSettings.in(settings.data()).gpus(settings.gpus()).runAs(runAs));
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.push(part);
        return part;
    }

    private void failIfStopped() {
        if (conductor.ended().isDone() && !conductor.ended().join().isEmpty()) {
            throw new IllegalStateException(conductor.ended().join());
        }
    }

    public DaemonSettings settings() {
        return settings;
    }

    public Desk desk() {
        return conductor.desk();
    }

    public Store store() {
        return store;
    }

    public LiveEngine engine() {
        return engine;
    }

    public TokenBook tokens() {
        return tokens;
    }

    /** How a client on this machine calls it. */
    public String url() {
        return api.url();
    }

    /** Complete when this daemon leads, which one that stands by may do much later; cancelled when it stops before. */
    public CompletableFuture<Void> leading() {
        return conductor.leading();
    }

    /** Waits until the daemon has stopped; the sentence says why, and is empty after {@link #close}. */
    public String awaitEnd() {
        return conductor.ended().join();
    }

    /** Nothing more is decided. Jobs go on: they outlive the daemon. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("{} did not close well", part.getClass().getSimpleName(), e);
            }
        }
    }
}
