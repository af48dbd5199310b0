package dev.fermata.app.run;

import dev.fermata.core.contract.Fact;

/** Jobs that can never run on the cluster: how many, and the first of them in words. */
public record Refusals(int count, String first) {
    public static final Refusals NONE = new Refusals(0, "");

    Refusals and(Fact.Refused fact) {
        return count > 0
                ? new Refusals(count + 1, first)
                : new Refusals(1, fact.job().name() + " " + fact.verdict().message());
    }

    public String message() {
        return count == 1
                ? "1 job can never run here and counts as failed: " + first
                : count + " jobs can never run here and count as failed; the first: " + first;
    }
}
