package dev.fermata.app.replay;

import dev.fermata.app.input.ClusterInput;
import java.util.List;

/**
 * A recorded history and the cluster it happened on.
 *
 * @param name where it comes from, for titles
 * @param policy that decided, as it was written
 * @param endMillis what happened later is not in it
 * @param remarks what a reader should know about it
 */
public record Chronicle(
        String name, ClusterInput cluster, String policy, List<Happened> lines, long endMillis, List<String> remarks) {}
