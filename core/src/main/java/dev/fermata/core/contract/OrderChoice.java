package dev.fermata.core.contract;

import java.util.List;

/**
 * The order that a policy follows now: remaining work times GPUs to the power of an exponent, and what other exponents would
 * have given.
 *
 * @param submissions how many recent submissions were played again to choose it; 0 before the first rehearsal
 * @param others the other candidates, by exponent; none before the first rehearsal
 */
public record OrderChoice(double exponent, int submissions, List<Candidate> others) {
    /** @param meanJctChange how much longer the mean completion time would have been, as a share; below 0 shorter */
    public record Candidate(double exponent, double meanJctChange) {}

    public OrderChoice {
        others = List.copyOf(others);
    }
}
