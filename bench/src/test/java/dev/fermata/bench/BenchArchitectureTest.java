package dev.fermata.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.cli.architecture.PluginArchitecture;
import org.junit.jupiter.api.Test;

/** The rules of bench. */
class BenchArchitectureTest extends PluginArchitecture {
    BenchArchitectureTest() {
        super("bench");
    }

    /** Benchmarks measure what is shipped: reproductions are not at hand. */
    @Test
    void reproductionsAreNotOnTheClassPath() {
        noClasses().should().resideInAPackage("dev.fermata.research..").check(CLASSES);
        assertThatThrownBy(() -> Class.forName("dev.fermata.research.Finding"))
                .isInstanceOf(ClassNotFoundException.class);
    }
}
