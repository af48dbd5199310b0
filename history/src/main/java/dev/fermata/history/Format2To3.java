package dev.fermata.history;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Turns bodies of format 2 into bodies of format 3, in place. Format 3 adds the cluster: as entries of their own, and in
 * snapshots. What format 2 says stays as it is; a cluster that it does not describe stays unknown.
 */
final class Format2To3 implements FormatStep {
    private static final int TO = 3;

    @Override
    public int from() {
        return 2;
    }

    @Override
    public String entry(String type, ObjectNode body) {
        body.put(HistoryFormat.VERSION_KEY, TO);
        return type;
    }

    @Override
    public void snapshot(ObjectNode body) {
        body.put(HistoryFormat.VERSION_KEY, TO);
    }
}
