package dev.fermata.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Tier;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The names that constants have on disk, each written out. Renaming a Java constant changes no file, and a new one does
 * not compile until it has a name here.
 */
public final class ConstantNames<E extends Enum<E>> {
    public static final ConstantNames<JobState> JOB_STATES =
            new ConstantNames<>(JobState.values(), state -> switch (state) {
                case PENDING -> "PENDING";
                case STARTING -> "STARTING";
                case RUNNING -> "RUNNING";
                case PREEMPTING -> "PREEMPTING";
                case SUSPENDING -> "SUSPENDING";
                case SUSPENDED -> "SUSPENDED";
                case RESUMING -> "RESUMING";
                case COMPLETED -> "COMPLETED";
                case FAILED -> "FAILED";
                case CANCELLED -> "CANCELLED";
                case TIMEOUT -> "TIMEOUT";
                case OOM -> "OOM";
                case UNSATISFIABLE -> "UNSATISFIABLE";
            });

    public static final ConstantNames<Outcome> OUTCOMES =
            new ConstantNames<>(Outcome.values(), outcome -> switch (outcome) {
                case COMPLETED -> "COMPLETED";
                case PREEMPTED -> "PREEMPTED";
                case SUSPENDED -> "SUSPENDED";
                case FAILED -> "FAILED";
                case TIMEOUT -> "TIMEOUT";
                case OOM -> "OOM";
                case LOST -> "LOST";
                case CANCELLED -> "CANCELLED";
            });

    public static final ConstantNames<JobClass> JOB_CLASSES =
            new ConstantNames<>(JobClass.values(), jobClass -> switch (jobClass) {
                case TRIAL -> "TRIAL";
                case BATCH -> "BATCH";
            });

    public static final ConstantNames<Dependency.Condition> CONDITIONS =
            new ConstantNames<>(Dependency.Condition.values(), condition -> switch (condition) {
                case SUCCESS -> "SUCCESS";
                case FAILURE -> "FAILURE";
                case ANY -> "ANY";
            });

    static final ConstantNames<PreemptWay> WAYS = new ConstantNames<>(PreemptWay.values(), way -> switch (way) {
        case CHECKPOINT -> "CHECKPOINT";
        case SUSPEND -> "SUSPEND";
    });

    static final ConstantNames<SuspendCosts.Reach> REACHES =
            new ConstantNames<>(SuspendCosts.Reach.values(), reach -> switch (reach) {
                case NOWHERE -> "NOWHERE";
                case SAME_GPUS -> "SAME_GPUS";
                case SAME_NODE -> "SAME_NODE";
            });

    static final ConstantNames<Checkpointing> CHECKPOINTING =
            new ConstantNames<>(Checkpointing.values(), checkpointing -> switch (checkpointing) {
                case ON_PREEMPTION -> "ON_PREEMPTION";
                case ASSUMED -> "ASSUMED";
                case NONE -> "NONE";
            });

    static final ConstantNames<Tier> TIERS = new ConstantNames<>(Tier.values(), tier -> switch (tier) {
        case GPU -> "GPU";
        case NODE -> "NODE";
        case RACK -> "RACK";
        case NETWORK -> "NETWORK";
    });

    private final Function<E, String> name;
    private final Map<String, E> byName = new LinkedHashMap<>();

    private ConstantNames(E[] all, Function<E, String> name) {
        this.name = name;
        for (E constant : all) {
            byName.put(name.apply(constant), constant);
        }
    }

    public String of(E constant) {
        return name.apply(constant);
    }

    /** The constant in a field, which must be there. */
    public E read(JsonNode node, String field) {
        if (!node.path(field).isTextual()) {
            throw new IllegalArgumentException("'" + field + "' is missing in " + node);
        }
        return find(node.path(field).asText(), field);
    }

    /** The constant in a field, or another one where the field is missing. */
    public E read(JsonNode node, String field, E fallback) {
        return node.path(field).isTextual() ? find(node.path(field).asText(), field) : fallback;
    }

    private E find(String text, String field) {
        @Nullable E constant = byName.get(text);
        if (constant == null) {
            throw new IllegalArgumentException(
                    field + " (" + text + ") must be one of " + String.join(", ", byName.keySet()));
        }
        return constant;
    }
}
