package dev.fermata.app.demo;

import dev.fermata.app.client.Address;
import dev.fermata.app.client.Door;
import dev.fermata.core.model.Costs;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.ConductorSettings;
import java.net.URI;
import java.nio.file.Path;

/** A daemon of the demo's own, on virtual GPUs and a free port. Nothing about it is special but what it is told of its jobs' costs. */
final class OwnDaemon implements AutoCloseable {
    /** These trainings are saved and loaded in no time; the daemon would assume seconds until it has seen it. */
    private static final Costs TINY = new Costs(300, 300, 100, 0);

    private final Daemon daemon;
    private final Address address;

    private OwnDaemon(Daemon daemon, Address address) {
        this.daemon = daemon;
        this.address = address;
    }

    static OwnDaemon start(Path data, int gpus, String policy, String version) {
        DaemonSettings settings = DaemonSettings.in(data)
                .withGpus("virtual:" + gpus)
                .withPolicy(policy)
                .withApi(ApiSettings.local(0))
                .withConductor(ConductorSettings.DEFAULT.withCosts(TINY));
        Daemon daemon = Daemon.start(settings, version);
        String user = System.getProperty("user.name");
        String token = daemon.tokens().issue(user, Role.ADMIN, "demo", -1).token();
        return new OwnDaemon(daemon, new Address(URI.create(daemon.url()), token, "", true));
    }

    Address address() {
        return address;
    }

    Door door() {
        return Door.to(address, "");
    }

    @Override
    public void close() {
        daemon.close();
    }
}
