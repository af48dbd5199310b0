package dev.fermata.cli.demo;

import dev.fermata.cli.client.ClientFile;
import dev.fermata.cli.client.DaemonAddress;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.daemon.DaemonProcess;
import dev.fermata.core.model.Costs;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.loop.LoopSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A daemon of the demo's own, on virtual GPUs and a free port. It differs from others only in the assumed costs of jobs. */
final class EmbeddedDaemon implements AutoCloseable {
    /** These trainings are saved and loaded in no time; the daemon would assume seconds until it has seen it. */
    private static final Costs TINY_COSTS = new Costs(300, 300, 100, 0);

    private final DaemonProcess daemonProcess;
    private final DaemonAddress address;

    private EmbeddedDaemon(DaemonProcess daemonProcess, DaemonAddress address) {
        this.daemonProcess = daemonProcess;
        this.address = address;
    }

    static EmbeddedDaemon start(Path data, int gpus, String policy, Map<String, String> environment) {
        DaemonSettings settings = DaemonSettings.forDataFolder(data)
                .withGpus("virtual:" + gpus)
                .withPolicy(policy)
                .withApi(ApiSettings.local(0))
                .withLoop(LoopSettings.DEFAULT.withAssumedCosts(TINY_COSTS));
        // The user's clients go on finding the daemon that the user has up, if there is one.
        Map<String, String> apart = new HashMap<>(environment);
        apart.put("XDG_CONFIG_HOME", data.resolve("config").toString());
        DaemonProcess daemonProcess = DaemonProcess.open(settings, null, apart);
        return new EmbeddedDaemon(
                daemonProcess, ClientFile.read(data.resolve(ClientFile.NAME)).orElseThrow());
    }

    DaemonAddress address() {
        return address;
    }

    DaemonClient api() {
        return DaemonClient.to(address, "");
    }

    @Override
    public void close() {
        daemonProcess.close();
    }
}
