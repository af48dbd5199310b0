package dev.fermata.live;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.api.ApiPorts;
import dev.fermata.live.api.ApiServer;
import dev.fermata.live.engine.EngineProvider;
import dev.fermata.live.engine.EngineProviders;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.prediction.StartPredictor;
import dev.fermata.live.retention.HistoryRetention;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon: engine, store, scheduler loop and HTTP API, opened in this order and closed in reverse order. */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private final DaemonSettings settings;
    private final Deque<AutoCloseable> openParts = new ArrayDeque<>();
    private final Store store;
    private final ExecutionEngine engine;
    private final SchedulerLoop loop;
    private final SchedulerService service;
    private final TokenService tokens;
    private final ApiServer api;
    private final CompletableFuture<Void> leading;

    private Daemon(DaemonSettings settings, String version, @Nullable StartPredictor predictor) {
        this.settings = settings;
        try {
            PolicySpec policy = PolicySpec.parse(settings.policy());
            DataFolder.create(settings.data());
            DaemonMetrics metrics = new DaemonMetrics();
            engine = register(engine(settings));
            store = register(StoreFactory.open(settings.store(), settings.data()));
            loop = register(new SchedulerLoop(
                    store, engine, policy, settings.loop(), settings.shadow(), new MonotonicClock(), metrics));
            service = new DefaultSchedulerService(loop, predictor);
            if (settings.api().port() > 0) {
                announceReports(settings.api().port()); // jobs may start before the API does
            }
            loop.start();
            loop.leadershipKnown().join();
            failIfStopped();
            tokens = new TokenService(store.tokens(), System::currentTimeMillis);
            ApiPorts.DaemonInfo about = new ApiPorts.DaemonInfo(
                    version, engine.name(), settings.policy(), loop.engineNotices(), settings.page());
            api = register(ApiServer.start(
                    settings.api(),
                    new ApiPorts(
                            service,
                            store,
                            tokens,
                            engine.logs(),
                            engine.reports(),
                            metrics,
                            about,
                            System::currentTimeMillis)));
            announceReports(api.port());
            loop.ready().join();
            failIfStopped();
            if (loop.leading().isDone()) {
                openLocalSocket();
                leading = loop.leading();
            } else {
                leading = loop.leading().thenRunAsync(this::openLocalSocket);
            }
            register(HistoryRetention.start(
                    store,
                    settings.data(),
                    settings.storage().retention(),
                    () -> loop.health.phase() == HealthStatus.DaemonPhase.LEADING));
            api.readAhead();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("cannot use the data folder " + settings.data(), e);
        }
    }

    /**
     * Starts a daemon and returns when it schedules jobs, or stands by because another one leads. On failure it throws an
     * exception whose message is for the operator.
     */
    public static Daemon start(DaemonSettings settings, String version) {
        return new Daemon(settings, version, null);
    }

    /** The same with predictions of job starts. */
    public static Daemon start(DaemonSettings settings, String version, StartPredictor predictor) {
        return new Daemon(settings, version, predictor);
    }

    private static ExecutionEngine engine(DaemonSettings settings) {
        return EngineProviders.named(settings.engine())
                .create(new EngineProvider.EngineOptions(settings.data(), settings.gpus(), settings.runAs()));
    }

    private <T extends AutoCloseable> T register(T part) {
        openParts.push(part);
        return part;
    }

    private void announceReports(int port) {
        engine.reports()
                .announce(new ReportInbox.ReportAddress(
                        settings.api().url(port), settings.api().certificate()));
    }

    /** Only the leader has it: a daemon in standby leaves the one of the leader alone. */
    private void openLocalSocket() {
        try {
            api.openLocalSocket(
                    settings.data(),
                    engine.separatesAccounts() && settings.api().localUsers() != null);
        } catch (RuntimeException e) {
            LOG.error("local socket: not opened, clients need tokens: {}", e.toString());
        }
    }

    /** The socket by which accounts of this machine call without a token; null unless this daemon leads. */
    public @Nullable Path localSocket() {
        return api.localSocket();
    }

    private void failIfStopped() {
        if (loop.ended().isDone() && !loop.ended().join().isEmpty()) {
            throw new IllegalStateException(loop.ended().join());
        }
    }

    public DaemonSettings settings() {
        return settings;
    }

    public SchedulerService scheduler() {
        return service;
    }

    public Store store() {
        return store;
    }

    public ExecutionEngine engine() {
        return engine;
    }

    public TokenService tokens() {
        return tokens;
    }

    /** The address for clients on this machine. */
    public String url() {
        return api.url();
    }

    /** Complete when this daemon leads and has its local socket, perhaps after a long standby; cancelled when it stops before. */
    public CompletableFuture<Void> leading() {
        return leading;
    }

    /** Waits until the daemon has stopped; returns the problem, empty after {@link #close}. */
    public String awaitEnd() {
        return loop.ended().join();
    }

    /** Stops the daemon. Jobs continue without it. */
    @Override
    public void close() {
        while (!openParts.isEmpty()) {
            AutoCloseable part = openParts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("{}: close failed", part.getClass().getSimpleName(), e);
            }
        }
    }
}
