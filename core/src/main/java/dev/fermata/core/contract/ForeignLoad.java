package dev.fermata.core.contract;

import java.util.List;

/**
 * What others than Fermata use of a node: jobs of another scheduler, or processes of users.
 *
 * @param gpus numbers of GPUs, ascending
 */
public record ForeignLoad(List<Integer> gpus, long cpuMilli, long memoryMib) {
    public static final ForeignLoad NONE = new ForeignLoad(List.of(), 0, 0);

    public ForeignLoad {
        gpus = gpus.stream().sorted().toList();
    }
}
