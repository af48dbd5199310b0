package dev.fermata.bench.torture;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Which faults a run has, and how often. Each seed has only some of them, so that rare combinations are not hidden behind
 * frequent ones. After {@link #heal} there are none.
 */
final class FaultPlan {
    /** A fault, and how probable it is at each opportunity where a run has it. */
    enum Fault {
        ORDER_LOST(0.15),
        ORDER_DOUBLED(0.15),
        ORDER_LATE(0.1),
        ORDER_REFUSED_FOR_NOW(0.15),
        START_REFUSED(0.1),
        EVENT_DOUBLED(0.1),
        EVENT_LATE(0.1),
        UNKNOWN_ANSWER(0.03),
        START_NEVER_HAPPENS(0.03),
        ATTEMPT_LOST(0.05),
        SUSPEND_FAILS(0.1),
        APPEND_FAILS_BEFORE(0.04),
        APPEND_FAILS_AFTER(0.04),
        APPEND_SLOW(0.05),
        READ_FAILS(0.1),
        SNAPSHOT_FAILS(0.3),
        KILLED_BEFORE_APPEND(0.01),
        KILLED_AFTER_APPEND(0.01),
        KILLED_BEFORE_SNAPSHOT(0.1),
        KILLED_AFTER_SNAPSHOT(0.1),
        KILLED_BETWEEN_ORDERS(0.01),
        KILLED_AT_RECOVERY(0.1),
        KILLED_IN_RECOVERY(0.05),
        REQUEST_LOST(0.1),
        ANSWER_LOST(0.1),
        REQUEST_REPEATED(0.2);

        private final double probability;

        Fault(double probability) {
            this.probability = probability;
        }
    }

    private final Map<Fault, Double> probabilities = new EnumMap<>(Fault.class);
    private final SplittableRandom random;
    private boolean healed;

    FaultPlan(SplittableRandom random) {
        this.random = random;
        for (Fault fault : Fault.values()) {
            if (random.nextInt(2) == 0) {
                probabilities.put(fault, fault.probability * (0.5 + random.nextDouble()));
            }
        }
    }

    boolean happens(Fault fault) {
        double probability = healed ? 0 : probabilities.getOrDefault(fault, 0.0);
        return probability > 0 && random.nextDouble() < probability;
    }

    /** From now on nothing fails. */
    void heal() {
        healed = true;
    }

    boolean isHealed() {
        return healed;
    }
}
