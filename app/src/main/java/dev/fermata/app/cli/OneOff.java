package dev.fermata.app.cli;

import java.util.Set;

/**
 * A command whose flags say what is wanted this once: {@code submit --gpus 4} is no setting, and the {@code FERMATA_GPUS} that a
 * job finds around it must not become one. Only the flags that say where the daemon is and how answers look are.
 */
public interface OneOff {
    Set<String> SETTINGS = Set.of("url", "ca", "output", "quiet", "verbose");
}
