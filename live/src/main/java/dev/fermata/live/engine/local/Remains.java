package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;

/** What there is of an attempt on this machine: its folder, its control group and its processes. */
final class Remains {
    private final RunFolder folder;
    private final String runId;
    private volatile Held held;

    /** A group and the members that are looked for in it belong together. */
    private record Held(ControlGroup group, Members members) {}

    Remains(Shop shop, Launch launch) {
        this.folder = new RunFolder(
                shop.runs().resolve(Long.toString(launch.jobId())).resolve(Integer.toString(launch.attempt())));
        this.runId = shop.ids().of(launch.jobId(), launch.attempt());
        this.held = held(ControlGroup.NONE);
    }

    private Held held(ControlGroup group) {
        return new Held(group, new Members(folder, runId, group));
    }

    void use(ControlGroup group) {
        held = held(group);
    }

    RunFolder folder() {
        return folder;
    }

    ControlGroup group() {
        return held.group();
    }

    Members members() {
        return held.members();
    }

    Sweep sweep() {
        Held now = held;
        return new Sweep(now.members(), now.group(), folder);
    }
}
