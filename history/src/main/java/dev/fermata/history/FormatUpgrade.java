package dev.fermata.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Brings bodies of older formats up to date: from the version that a body carries, step by step, each step once. */
final class FormatUpgrade {
    /** To {@link HistoryFormat#VERSION}. */
    static final FormatUpgrade CURRENT = new FormatUpgrade(List.of(new Format1To2(), new Format2To3()));

    private final List<FormatStep> steps;

    /** @param steps from format 1 on, without a gap */
    FormatUpgrade(List<FormatStep> steps) {
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).from() != i + 1) {
                throw new IllegalArgumentException("step " + (i + 1) + " reads format "
                        + steps.get(i).from() + "; steps must read formats 1, 2, ... in this order");
            }
        }
        this.steps = List.copyOf(steps);
    }

    /** The format that bodies have afterwards. */
    int target() {
        return steps.size() + 1;
    }

    /** Upgrades the body of an entry; returns the type that the entry has now. */
    String entry(String type, ObjectNode body) {
        String now = type;
        for (FormatStep step : stepsFor(body)) {
            now = step.entry(now, body);
        }
        return now;
    }

    void snapshot(ObjectNode body) {
        stepsFor(body).forEach(step -> step.snapshot(body));
    }

    private List<FormatStep> stepsFor(ObjectNode body) {
        int version = HistoryFormat.versionOf(body);
        return steps.subList(Math.min(version, target()) - 1, steps.size());
    }
}
