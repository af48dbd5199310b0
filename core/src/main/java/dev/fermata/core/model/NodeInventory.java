package dev.fermata.core.model;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The identity of a node and of its GPUs. An id never means another machine or device later, whereas numbers are given
 * by the cluster that counts them.
 *
 * @param id of the machine, such as its machine id or host name
 * @param gpuIds of its GPUs in their order, such as UUIDs; empty where a GPU is known by the node's id and its position
 * @param missing positions of GPUs that the node has lost, ascending; their numbers stay theirs in case they return
 * @param labels what its engine says of it besides, for users and node selectors
 */
public record NodeInventory(String id, List<String> gpuIds, List<Integer> missing, SortedMap<String, String> labels) {
    /** Without labels. */
    public NodeInventory(String id, List<String> gpuIds, List<Integer> missing) {
        this(id, gpuIds, missing, new TreeMap<>());
    }

    public NodeInventory {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
        gpuIds = List.copyOf(gpuIds);
        missing = List.copyOf(missing);
        Require.that(!id.isBlank(), "the id of a node must not be blank");
        Require.that(
                new HashSet<>(gpuIds).size() == gpuIds.size(),
                "two GPUs of node (%s) have the same id: %s",
                id,
                gpuIds);
    }

    /** A node with this id whose GPUs have no ids of their own; none is missing. */
    public static NodeInventory of(String id) {
        return new NodeInventory(id, List.of(), List.of());
    }

    /** The same with these labels. */
    public NodeInventory withLabels(Map<String, String> others) {
        return new NodeInventory(id, gpuIds, missing, new TreeMap<>(others));
    }

    /** The same where all of so many GPUs are lost. */
    NodeInventory withAllMissing(int gpus) {
        return new NodeInventory(id, gpuIds, IntStream.range(0, gpus).boxed().toList(), labels);
    }

    /** The id of the GPU at this position of the node. */
    public String gpuId(int position) {
        return gpuIds.isEmpty() ? id + "/" + position : gpuIds.get(position);
    }
}
