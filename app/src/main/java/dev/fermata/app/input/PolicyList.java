package dev.fermata.app.input;

import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;

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
        return names.stream().map(PolicySpec::parse).toList();
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
