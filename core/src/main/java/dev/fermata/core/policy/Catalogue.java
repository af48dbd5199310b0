package dev.fermata.core.policy;

import java.util.List;
import java.util.stream.Stream;

/** Every policy by name. Adding one is a line here; the laws are then tested against it without another word. */
public final class Catalogue {
    private static final List<PolicyInfo> ALL = Stream.of(
                    Baselines.ALL,
                    XionEntries.ALL,
                    FitGppEntries.ALL,
                    DallyEntries.ALL,
                    JpsEntries.ALL,
                    XonarEntries.ALL,
                    FermataEntries.ALL)
            .flatMap(List::stream)
            .toList();

    private Catalogue() {}

    public static List<PolicyInfo> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(PolicyInfo::name).toList();
    }

    public static PolicyInfo find(String name) {
        return ALL.stream()
                .filter(info -> info.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown policy '" + name + "'." + Suggest.among(name, names())));
    }
}
