package dev.fermata.cli.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dependency rules of a module that is a plugin. The module's own test extends it: only there are its classes at hand. */
@Tag("tree")
public abstract class PluginArchitecture {
    protected static final JavaClasses CLASSES = PackageDependencies.program();

    private final String module;

    protected PluginArchitecture(String module) {
        this.module = module;
    }

    @Test
    void packagesUseOnlyWhatTheTableAllows() {
        assertThat(PackageDependencies.violations(CLASSES, Set.of(module))).isEmpty();
    }

    @Test
    void packagesHaveNoCycles() {
        PackageDependencies.checkCycles(CLASSES, Set.of(module));
    }

    @Test
    void everyModuleIsInTheTable() {
        assertThat(PackageDependencies.unknownModules(CLASSES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Util", "Utils", "Helper", "Manager", "Impl", "Context"})
    void noTypeHasAVagueSuffix(String suffix) {
        noClasses().should().haveSimpleNameEndingWith(suffix).check(CLASSES);
    }
}
