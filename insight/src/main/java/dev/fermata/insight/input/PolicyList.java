package dev.fermata.insight.input;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Suggestion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Policies joined by commas, whose own parameters are joined by commas too: {@code fifo,las:queues=3,threshold=100,srtf}. */
public final class PolicyList {
    private PolicyList() {}

    public static List<PolicySpec> parse(String text) {
        List<String> names = new ArrayList<>();
        for (String piece : text.split(",", -1)) {
            int equals = piece.indexOf('=');
            int colon = piece.indexOf(':');
            boolean parameter = equals >= 0 && (colon < 0 || equals < colon);
            if (parameter && !names.isEmpty()) {
                names.set(names.size() - 1, names.get(names.size() - 1) + "," + piece);
            } else {
                names.add(piece);
            }
        }
        return distinct(names.stream().map(PolicySpec::parse).toList());
    }

    /** The same policy twice would count every seed twice. */
    private static List<PolicySpec> distinct(List<PolicySpec> policies) {
        List<String> texts = policies.stream().map(PolicySpec::text).toList();
        for (String text : texts) {
            if (texts.indexOf(text) != texts.lastIndexOf(text)) {
                throw new IllegalArgumentException("policy '" + text + "' is in the list twice");
            }
        }
        return policies;
    }

    /** Position of a policy in the list, by its text or its name; the first where none is named. */
    public static int indexOf(String flag, @Nullable String wanted, List<PolicySpec> policies) {
        if (wanted == null) {
            return 0;
        }
        List<String> texts = policies.stream().map(PolicySpec::text).toList();
        List<String> names = policies.stream().map(p -> p.info().name()).toList();
        int place = texts.contains(wanted) ? texts.indexOf(wanted) : names.indexOf(wanted);
        if (place < 0) {
            throw new IllegalArgumentException(flag + " (" + wanted + ") is none of the policies compared."
                    + Suggestion.didYouMean(wanted, texts));
        }
        return place;
    }

    /** The policies with one more parameter, or another value for it. */
    static List<PolicySpec> with(List<PolicySpec> policies, String key, String value) {
        return distinct(policies.stream().map(p -> with(p, key, value)).toList());
    }

    /** The policy with one more parameter, or another value for it. */
    static PolicySpec with(PolicySpec policy, String key, String value) {
        String text = policy.text();
        int colon = text.indexOf(':');
        List<String> kept = new ArrayList<>();
        if (colon >= 0) {
            for (String pair : text.substring(colon + 1).split(",", -1)) {
                if (!pair.strip().startsWith(key + "=")) {
                    kept.add(pair);
                }
            }
        }
        kept.add(key + "=" + value);
        return PolicySpec.parse((colon < 0 ? text : text.substring(0, colon)) + ":" + String.join(",", kept));
    }
}
