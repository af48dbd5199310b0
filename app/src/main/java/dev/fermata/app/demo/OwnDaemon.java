package dev.fermata.app.demo;

import dev.fermata.app.client.Address;
import dev.fermata.app.client.ClientFile;
import dev.fermata.app.client.Door;
import dev.fermata.app.house.House;
import dev.fermata.core.model.Costs;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.ConductorSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A daemon of the demo's own, on virtual GPUs and a free port. Nothing about it is special but what it is told of its jobs' costs. */
final class OwnDaemon implements AutoCloseable {
    /** These trainings are saved and loaded in no time; the daemon would assume seconds until it has seen it. */
    private static final Costs TINY = new Costs(300, 300, 100, 0);

    private final House house;
    private final Address address;

    private OwnDaemon(House house, Address address) {
        this.house = house;
        this.address = address;
    }

    static OwnDaemon start(Path data, int gpus, String policy, Map<String, String> environment) {
        DaemonSettings settings = DaemonSettings.in(data)
                .withGpus("virtual:" + gpus)
                .withPolicy(policy)
                .withApi(ApiSettings.local(0))
                .withConductor(ConductorSettings.DEFAULT.withCosts(TINY));
        // The user's clients go on finding the daemon that the user has up, if there is one.
        Map<String, String> apart = new HashMap<>(environment);
        apart.put("XDG_CONFIG_HOME", data.resolve("config").toString());
        House house = House.open(settings, null, apart);
        return new OwnDaemon(
                house, ClientFile.read(data.resolve(ClientFile.NAME)).orElseThrow());
    }

    Address address() {
        return address;
    }

    Door door() {
        return Door.to(address, "");
    }

    @Override
    public void close() {
        house.close();
    }
}
