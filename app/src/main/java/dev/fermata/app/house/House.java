package dev.fermata.app.house;

import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Address;
import dev.fermata.app.client.ClientFile;
import dev.fermata.app.client.Places;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.foresee.SimulatedForesight;
import dev.fermata.app.output.Humane;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.DataFolder;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon with what surrounds it on this machine: its log, its first token, and the file by which its user's clients find it. */
public final class House implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(House.class);

    private final Daemon daemon;
    private final Optional<String> firstToken;

    private House(Daemon daemon, Optional<String> firstToken) {
        this.daemon = daemon;
        this.firstToken = firstToken;
    }

    /**
     * Starts everything; comes back when jobs can be submitted, or when another daemon leads and this one waits. Until it leads, it
     * leaves alone what may be the other one's: the log in the data folder and the file by which clients find it.
     *
     * @param queues rules that replace those in force; null to keep them
     */
    public static House open(
            DaemonSettings settings, @Nullable List<QueueRule> queues, Map<String, String> environment) {
        try {
            refuseIfTaken(settings.api());
            DataFolder.make(settings.data());
            DaemonLog log = DaemonLog.inMemory();
            Daemon daemon = Daemon.start(settings, Version.number(), new SimulatedForesight());
            try {
                String user = user(environment);
                Optional<String> first = daemon.tokens().firstAdmin(user).map(TokenBook.Issued::token);
                Runnable moveIn = () -> {
                    log.into(settings.data());
                    tellClients(daemon, user, environment);
                    setQueues(daemon, user, queues);
                };
                if (daemon.leading().isDone()) {
                    moveIn.run();
                } else {
                    daemon.leading().thenRunAsync(moveIn).exceptionally(House::notMovedIn);
                }
                return new House(daemon, first);
            } catch (RuntimeException | Error e) {
                daemon.close();
                throw e;
            }
        } catch (IllegalArgumentException e) {
            throw Complaint.invalid(String.valueOf(e.getMessage()), e);
        } catch (CompletionException | IllegalStateException | StoreException | UncheckedIOException e) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            throw Complaint.failed(String.valueOf(cause.getMessage()), e);
        }
    }

    private static void setQueues(Daemon daemon, String user, @Nullable List<QueueRule> queues) {
        if (queues != null) {
            daemon.desk()
                    .setQueues(new Actor(user, Role.ADMIN.name(), "up"), queues)
                    .join();
        }
    }

    /** It leads all the same: jobs matter more than how clients find it. */
    private static @Nullable Void notMovedIn(Throwable trouble) {
        if (!(trouble instanceof CompletionException e && e.getCause() instanceof CancellationException)) {
            LOG.error("took over, but not everything that belongs to that: {}", trouble.toString());
        }
        return null;
    }

    /** Better known before anything has begun. */
    private static void refuseIfTaken(ApiSettings api) {
        if (api.port() == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket(api.port(), 1, InetAddress.getByName(api.bind()))) {
            socket.getLocalPort();
        } catch (IOException e) {
            throw Complaint.failed(
                    "cannot listen on " + api.bind() + ":" + api.port() + ": " + e.getMessage()
                            + ".\nIs a daemon up already (./fermata diag)? Another port: --port 0 takes any free one.",
                    e);
        }
    }

    /** The token that clients of this user have is kept while it is good: shells and scripts may hold it. */
    private static void tellClients(Daemon daemon, String user, Map<String, String> environment) {
        Path ours = daemon.settings().data().resolve(ClientFile.NAME);
        ApiSettings.Tls tls = daemon.settings().api().tls();
        String token = ClientFile.read(ours)
                .map(Address::token)
                .filter(known -> daemon.tokens().check(known).isPresent())
                .orElseGet(() -> daemon.tokens().localClient(user).token());
        Address address = new Address(URI.create(daemon.url()), token, tls == null ? "" : Certificates.pem(tls), false);
        ClientFile.write(ours, address);
        ClientFile.write(Places.clientFile(environment), address);
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

    public boolean alive() {
        return pulse().phase() != Pulse.Phase.STOPPED;
    }

    public boolean waitsForAnother() {
        return pulse().phase() == Pulse.Phase.STANDBY;
    }

    public int runningJobs() {
        return pulse().runningJobs();
    }

    public String trouble() {
        return pulse().trouble();
    }

    private Pulse pulse() {
        return daemon.desk().pulse();
    }

    /** Such as {@code 8 × H100}. */
    public String gpus() {
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

    /** What was found, for a daemon that goes on; empty for a new one. */
    public String jobs() {
        Pulse pulse = pulse();
        return pulse.runningJobs() + pulse.pendingJobs() == 0
                ? ""
                : Humane.count(pulse.runningJobs()) + " on GPUs, " + Humane.count(pulse.pendingJobs()) + " waiting";
    }

    public List<String> remarks() {
        return daemon.engine().remarks();
    }

    @Override
    public void close() {
        daemon.close();
    }
}
