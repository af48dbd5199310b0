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

    /** Benchmarks measure what is shipped: neither reproductions nor their solver are at hand. */
    @Test
    void theSolverIsNotOnTheClassPath() {
        noClasses().should().resideInAPackage("dev.fermata.research..").check(CLASSES);
        assertThatThrownBy(() -> Class.forName("com.google.ortools.Loader")).isInstanceOf(ClassNotFoundException.class);
    }
}
