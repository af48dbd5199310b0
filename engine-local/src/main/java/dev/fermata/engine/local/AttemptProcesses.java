package dev.fermata.engine.local;

import dev.fermata.live.engine.Launch;

/** An attempt on this machine: its folder, its control group and its processes. */
final class AttemptProcesses {
    private final AttemptFolder folder;
    private final String marker;
    private volatile TrackedGroup tracked;

    /** The group and its members change together. */
    private record TrackedGroup(ControlGroup group, AttemptMembers members) {}

    AttemptProcesses(EngineServices services, Launch launch) {
        this.folder = new AttemptFolder(services.attemptsFolder()
                .resolve(Long.toString(launch.jobId()))
                .resolve(Integer.toString(launch.process())));
        this.marker = services.markers().of(launch.jobId(), launch.process());
        this.tracked = track(ControlGroup.NONE);
    }

    private TrackedGroup track(ControlGroup group) {
        return new TrackedGroup(group, new AttemptMembers(folder, marker, group));
    }

    void setGroup(ControlGroup group) {
        tracked = track(group);
    }

    AttemptFolder folder() {
        return folder;
    }

    ControlGroup group() {
        return tracked.group();
    }

    AttemptMembers members() {
        return tracked.members();
    }

    ProcessReaper reaper() {
        TrackedGroup now = tracked;
        return new ProcessReaper(now.members(), now.group(), folder);
    }
}
