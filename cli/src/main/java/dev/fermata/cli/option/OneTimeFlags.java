package dev.fermata.cli.option;

import java.util.Set;

/**
 * A command whose flags hold for one call only: {@code submit --gpus 4} is no setting, and the {@code FERMATA_GPUS} that a
 * job finds around it must not become one. Only the flags that say where the daemon is and how answers look are.
 */
public interface OneTimeFlags {
    Set<String> SETTINGS = Set.of("url", "ca", "output", "quiet", "verbose");
}
