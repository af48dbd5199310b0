package dev.fermata.research;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.architecture.PluginArchitecture;
import org.junit.jupiter.api.Test;

/** The rules of research. */
class ResearchArchitectureTest extends PluginArchitecture {
    ResearchArchitectureTest() {
        super("research");
    }

    /** The solver is a reference for measurements: nothing that schedules may need it. */
    @Test
    void onlyTheJpsReproductionUsesTheSolver() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.fermata.research.jps..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.google.ortools..")
                .check(CLASSES);
        assertThat(CLASSES)
                .anyMatch(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(use -> use.getTargetClass().getPackageName().startsWith("com.google.ortools")));
    }
}
