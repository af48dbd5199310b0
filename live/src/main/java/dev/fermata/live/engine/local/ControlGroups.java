package dev.fermata.live.engine.local;

import dev.fermata.live.spec.JobSpec;
import java.util.List;

/** Control groups for attempts. */
final class ControlGroups {
    ControlGroup make(String name, JobSpec spec) {
        return ControlGroup.NONE;
    }

    ControlGroup find(String name) {
        return ControlGroup.NONE;
    }

    boolean limitsMemory() {
        return false;
    }

    List<String> remarks() {
        return List.of();
    }
}
