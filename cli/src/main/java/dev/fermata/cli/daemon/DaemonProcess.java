package dev.fermata.cli.daemon;

import dev.fermata.cli.client.ClientFile;
import dev.fermata.cli.client.ClientPaths;
import dev.fermata.cli.client.DaemonAddress;
import dev.fermata.cli.client.ProgramName;
import dev.fermata.cli.option.Version;
import dev.fermata.cli.prediction.SimulatedStartPredictor;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.DataFolder;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.request.Actor;
import dev.fermata.live.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon with what surrounds it on this machine: its log, its first token, and the file by which clients of its user find it. */
public final class DaemonProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonProcess.class);

    private final Daemon daemon;
    private final Optional<String> firstToken;

    private DaemonProcess(Daemon daemon, Optional<String> firstToken) {
        this.daemon = daemon;
        this.firstToken = firstToken;
    }

    /**
     * Starts everything; comes back when jobs can be submitted, or when another daemon leads and this one waits. Until it leads, it
     * leaves alone what may be the other one's: the log in the data folder and the file by which clients find it.
     *
     * @param queues rules that replace those in force; null to keep them
     */
    public static DaemonProcess open(
            DaemonSettings settings, @Nullable List<QueueRule> queues, Map<String, String> environment) {
        try {
            requireFreePort(settings.api());
            DataFolder.create(settings.data());
            DaemonLog log = DaemonLog.inMemory();
            Daemon daemon = Daemon.start(settings, Version.number(), new SimulatedStartPredictor());
            try {
                String user = user(environment);
                Optional<String> first = daemon.leading().isDone()
                        ? daemon.tokens().issueFirstAdmin(user).map(TokenService.IssuedToken::token)
                        : Optional.empty(); // the leader has issued it
                Runnable takeOver = () -> {
                    log.openFile(settings.data());
                    daemon.tokens().revokeLocalClients();
                    writeClientFiles(daemon, environment);
                    setQueues(daemon, user, queues);
                };
                if (daemon.leading().isDone()) {
                    takeOver.run();
                } else {
                    daemon.leading().thenRunAsync(takeOver).exceptionally(DaemonProcess::logTakeoverFailure);
                }
                return new DaemonProcess(daemon, first);
            } catch (RuntimeException | Error e) {
                daemon.close();
                throw e;
            }
        } catch (IllegalArgumentException e) {
            throw UserError.invalid(String.valueOf(e.getMessage()), e);
        } catch (CompletionException | IllegalStateException | StoreException | UncheckedIOException e) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            throw UserError.failed(String.valueOf(cause.getMessage()), e);
        }
    }

    private static void setQueues(Daemon daemon, String user, @Nullable List<QueueRule> queues) {
        if (queues != null) {
            daemon.scheduler()
                    .setQueues(new Actor(user, Role.ADMIN.name(), "up"), queues)
                    .join();
        }
    }

    /** It leads all the same: jobs matter more than how clients find it. */
    private static @Nullable Void logTakeoverFailure(Throwable problem) {
        if (!(problem instanceof CompletionException e && e.getCause() instanceof CancellationException)) {
            LOG.error("takeover incomplete: log file, client file or queue rules not written: {}", problem.toString());
        }
        return null;
    }

    /** Checks early, before anything is started. */
    private static void requireFreePort(ApiSettings api) {
        if (api.port() == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket(api.port(), 1, InetAddress.getByName(api.bind()))) {
            socket.getLocalPort();
        } catch (IOException e) {
            throw UserError.failed(
                    "cannot listen on " + api.bind() + ":" + api.port() + ": " + e.getMessage()
                            + ".\nIs a daemon up already (" + ProgramName.TYPED
                            + " diag)? Another port: --port 0 takes any free one.",
                    e);
        }
    }

    private static void writeClientFiles(Daemon daemon, Map<String, String> environment) {
        ApiSettings.Tls tls = daemon.settings().api().tls();
        DaemonAddress address = new DaemonAddress(
                URI.create(daemon.url()), daemon.localSocket(), "", tls == null ? "" : CertificatePem.pem(tls), false);
        ClientFile.write(daemon.settings().data().resolve(ClientFile.NAME), address);
        ClientFile.write(ClientPaths.clientFile(environment), address);
    }

    private static String user(Map<String, String> environment) {
        String user = System.getProperty("user.name");
        return user == null || user.isBlank() || user.equals("?") ? environment.getOrDefault("USER", "admin") : user;
    }

    public String url() {
        return daemon.url();
    }

    /** The admin token of a data folder that is new; it is known only now. */
    public Optional<String> firstToken() {
        return firstToken;
    }

    public boolean isAlive() {
        return health().phase() != HealthStatus.DaemonPhase.STOPPED;
    }

    public boolean isStandby() {
        return health().phase() == HealthStatus.DaemonPhase.STANDBY;
    }

    public int runningJobs() {
        return health().runningJobs();
    }

    public String problem() {
        return health().problem();
    }

    private HealthStatus health() {
        return daemon.scheduler().health();
    }

    /** Such as {@code 8 × H100}. */
    public String gpusText() {
        Topology topology = daemon.engine().topology();
        List<String> words = new ArrayList<>();
        for (int type = 0; type < topology.types().size(); type++) {
            words.add(
                    topology.gpuCount(type) + " × " + topology.types().get(type).name());
        }
        return String.join(", ", words);
    }

    public String store() {
        return daemon.store().address();
    }

    /** The numbers of running and pending jobs, in words; empty for none. */
    public String jobsText() {
        HealthStatus health = health();
        return health.runningJobs() + health.pendingJobs() == 0
                ? ""
                : HumanFormat.count(health.runningJobs()) + " on GPUs, " + HumanFormat.count(health.pendingJobs())
                        + " waiting";
    }

    public List<String> notices() {
        return daemon.engine().notices();
    }

    @Override
    public void close() {
        daemon.close();
    }
}
