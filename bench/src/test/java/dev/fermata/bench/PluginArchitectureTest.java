package dev.fermata.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.fermata.cli.architecture.PackageDependencies;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dependency rules of the plugins research and bench, and those that need all modules on the class path. */
class PluginArchitectureTest {

    private static final JavaClasses CLASSES = PackageDependencies.program();

    @ParameterizedTest
    @ValueSource(strings = {"research", "bench"})
    void packagesUseOnlyWhatTheTableAllows(String module) {
        assertThat(PackageDependencies.violations(CLASSES, Set.of(module))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"research", "bench"})
    void packagesHaveNoCycles(String module) {
        PackageDependencies.checkCycles(CLASSES, Set.of(module));
    }

    @Test
    void everyModuleIsInTheTable() {
        assertThat(PackageDependencies.unknownModules(CLASSES)).isEmpty();
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

    @ParameterizedTest
    @ValueSource(strings = {"Util", "Utils", "Helper", "Manager", "Impl", "Context"})
    void noTypeHasAVagueSuffix(String suffix) {
        noClasses().should().haveSimpleNameEndingWith(suffix).check(CLASSES);
    }
}
