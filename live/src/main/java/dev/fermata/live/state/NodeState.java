package dev.fermata.live.state;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;

/**
 * The current state of one node, besides that of its GPUs.
 *
 * @param unreachable whether nothing is heard of it
 * @param excluded whether no attempt starts there for now, because several in a row failed
 * @param drain why it is drained and who asked for it
 * @param foreign what others use of it
 */
public record NodeState(int node, boolean unreachable, boolean excluded, DrainNote drain, ForeignLoad foreign) {
    /** A node of which nothing is to be said. */
    public static NodeState plain(int node) {
        return new NodeState(node, false, false, DrainNote.NONE, ForeignLoad.NONE);
    }
}
