package dev.fermata.sim.engine;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The links that running gangs share. A node has one uplink, used inside its rack. A rack has as many uplinks as nodes,
 * used between racks, and transfers spread evenly over them.
 *
 * <p>While a gang transfers, it shares a link with the gangs that transfer there at that moment. On average these are as
 * many as the sum of the shares of time in which each of them transfers when alone. So a start or an end changes only
 * gangs on the same links, and two gangs that do nothing but transfer get half a link each.
 */
final class LinkContention {
    private final Topology topology;
    private final double strength;
    /** Mean numbers of gangs that transfer over a link, in millionths: uplinks of the nodes, then of the racks. */
    private final long[] loadMicro;

    private final List<List<SimulatedAttempt>> users = new ArrayList<>();

    /** @param strength 0 when links are never shared, 1 when they are shared fairly */
    LinkContention(Topology topology, double strength) {
        this.topology = topology;
        this.strength = strength;
        int links =
                strength == 0 ? 0 : topology.nodes().size() + topology.racks().size();
        this.loadMicro = new long[links];
        for (int i = 0; i < links; i++) {
            users.add(new ArrayList<>());
        }
    }

    /** Whether an attempt transfers over links that others may use. */
    boolean mayUse(SimulatedAttempt run) {
        return strength > 0
                && run.allocation.nodeCount() > 1
                && run.job.job().profile().gradientMib() > 0;
    }

    /** An attempt begins to run. */
    void begin(SimulatedAttempt run) {
        if (!mayUse(run)) {
            return;
        }
        Job job = run.job.job();
        Profile profile = job.profile();
        Shape shape = run.allocation.shape();
        double speeds = 0;
        for (int k = 0; k < run.allocation.nodeCount(); k++) {
            int type = topology.node(run.allocation.node(k)).type();
            speeds +=
                    run.allocation.gpusOn(k) * profile.speedOn(topology.types().get(type));
        }
        double compute = profile.iterationMillis() * job.demand().maxGpus() / speeds;
        Speed alone = SpeedModel.speedAlone(job, run.allocation, topology);
        double iteration = compute / (1 - alone.communicationShare());
        double perLayer = profile.gradientMib() / profile.layers();
        Network network = topology.network();
        run.rackUseMicro = micro(profile.layers() * network.rackMillis(shape, perLayer) / iteration);
        run.spineUseMicro = micro(profile.layers() * network.spineMillis(shape, perLayer) / iteration);
        run.usesLinks = true;
        change(run, 1);
    }

    /** It stops running. */
    void end(SimulatedAttempt run) {
        if (run.usesLinks) {
            run.usesLinks = false;
            change(run, -1);
        }
    }

    private void change(SimulatedAttempt run, int sign) {
        for (int k = 0; k < run.allocation.nodeCount(); k++) {
            int node = run.allocation.node(k);
            change(node, run, sign * run.rackUseMicro);
            change(uplinksOfRack(node), run, sign * uplinkUseMicro(run, node));
        }
    }

    private void change(int link, SimulatedAttempt run, long loadChangeMicro) {
        loadMicro[link] += loadChangeMicro;
        if (loadChangeMicro > 0) {
            users.get(link).add(run);
        } else if (loadChangeMicro < 0) {
            users.get(link).remove(run);
        }
    }

    private int uplinksOfRack(int node) {
        return topology.nodes().size() + topology.node(node).rack();
    }

    /** What an attempt on this node adds to each uplink of the rack. */
    private long uplinkUseMicro(SimulatedAttempt run, int node) {
        return run.spineUseMicro
                / topology.racks().get(topology.node(node).rack()).nodes();
    }

    /** The network as an attempt sees it, with the bandwidth that others leave it on its busiest links. */
    Network seenBy(SimulatedAttempt run) {
        Network network = topology.network();
        if (!mayUse(run)) {
            return network;
        }
        long rackMicro = 0;
        long spineMicro = 0;
        int link = -1;
        long othersMicro = 0;
        for (int k = 0; k < run.allocation.nodeCount(); k++) {
            int node = run.allocation.node(k);
            rackMicro = Math.max(rackMicro, loadMicro[node] - (run.usesLinks ? run.rackUseMicro : 0));
            if (uplinksOfRack(node) != link) { // nodes come rack by rack
                spineMicro = Math.max(spineMicro, othersMicro);
                link = uplinksOfRack(node);
                othersMicro = loadMicro[link];
            }
            othersMicro -= run.usesLinks ? uplinkUseMicro(run, node) : 0;
        }
        spineMicro = Math.max(spineMicro, othersMicro);
        return rackMicro == 0 && spineMicro == 0
                ? network
                : new Network(network.node(), shared(network.rack(), rackMicro), shared(network.spine(), spineMicro));
    }

    private Link shared(Link link, long othersMicro) {
        double stretch = 1 + strength * othersMicro / Speed.UNIT;
        return new Link(link.gigabytesPerSecond() / stretch, link.latencyMicros());
    }

    /** Adds the attempts that share a link with this one, by job. */
    void addNeighbours(SimulatedAttempt run, Map<Long, SimulatedAttempt> neighbours) {
        if (!mayUse(run)) {
            return;
        }
        for (int k = 0; k < run.allocation.nodeCount(); k++) {
            int node = run.allocation.node(k);
            if (run.rackUseMicro > 0) {
                addUsers(node, run, neighbours);
            }
            if (run.spineUseMicro > 0) {
                addUsers(uplinksOfRack(node), run, neighbours);
            }
        }
    }

    private void addUsers(int link, SimulatedAttempt run, Map<Long, SimulatedAttempt> neighbours) {
        for (SimulatedAttempt other : users.get(link)) {
            if (other != run) {
                neighbours.put(other.job.job().id(), other);
            }
        }
    }

    private static long micro(double share) {
        return Math.round(share * Speed.UNIT);
    }
}
