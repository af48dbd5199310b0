package dev.fermata.history;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns bodies of one format into bodies of the next, in place. What it does never changes after a release: old stores are read by it. */
interface FormatStep {
    /** The format that it reads; it writes the next one, and stamps bodies with that number. */
    int from();

    /**
     * Upgrades the body of an entry.
     *
     * @return the type that the entry has in the next format
     */
    String entry(String type, ObjectNode body);

    void snapshot(ObjectNode body);
}
