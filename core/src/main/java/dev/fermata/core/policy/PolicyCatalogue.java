package dev.fermata.core.policy;

import java.util.List;
import java.util.stream.Stream;

/** Every policy by name. A new policy needs one entry here; the scheduling rules are then tested against it. */
public final class PolicyCatalogue {
    private static final Registry<PolicyInfo> POLICIES = new Registry<>(
            "policy",
            PolicyInfo::name,
            Stream.of(
                            BaselineEntries.ALL,
                            XionEntries.ALL,
                            FitGppEntries.ALL,
                            DallyEntries.ALL,
                            JpsEntries.ALL,
                            XonarEntries.ALL,
                            FermataEntries.ALL)
                    .flatMap(List::stream)
                    .toList());

    private PolicyCatalogue() {}

    /** Adds the policies of plugins, in place of those installed before. Called once, before any spec is parsed. */
    public static void install(List<PolicyInfo> plugins) {
        POLICIES.install(plugins);
    }

    public static List<PolicyInfo> all() {
        return POLICIES.all();
    }

    public static List<String> names() {
        return POLICIES.names();
    }

    public static PolicyInfo find(String name) {
        return POLICIES.find(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown policy '" + name + "'." + Suggestion.didYouMean(name, names())));
    }
}
