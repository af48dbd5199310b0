package dev.fermata.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.profile.AttemptMeasurements;
import java.io.Serializable;
import java.time.Clock;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dependency rules of the modules that are shipped. A rule that matches no class fails. */
@Tag("tree")
class ArchitectureTest {

    private static final String CORE = "dev.fermata.core..";

    /** More is a record that has not been found yet. */
    private static final int MAX_PARAMETERS = 8;

    private static final Set<String> MODULES =
            Set.of("core", "history", "sim", "insight", "report", "live", "engine", "web", "cli");

    private static final JavaClasses CLASSES = PackageDependencies.program();

    @Test
    void packagesUseOnlyWhatTheTableAllows() {
        assertThat(PackageDependencies.violations(CLASSES, MODULES)).isEmpty();
    }

    @Test
    void aPermissionThatNoClassUsesIsReported() {
        JavaClasses model = CLASSES.that(resideInAnyPackage("dev.fermata.core.model.."));

        assertThat(PackageDependencies.violations(model, Set.of("core")))
                .contains("no class is in core.contract", "no class uses the permission core.contract -> core.model");
        assertThat(PackageDependencies.violations(model, Set.of("engine")))
                .contains("no class uses the permission engine.local -> com.sun.management");
    }

    @Test
    void noOtherModuleIsShipped() {
        assertThat(CLASSES.stream()
                        .map(type -> type.getPackageName().split("\\.", -1)[2])
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(MODULES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"core", "history", "sim", "insight", "report", "live", "engine", "web", "cli"})
    void packagesHaveNoCycles(String module) {
        PackageDependencies.checkCycles(CLASSES, Set.of(module));
    }

    @Test
    void coreUsesNoLibrary() {
        classes()
                .that()
                .resideInAPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", CORE)
                .check(CLASSES);
    }

    @Test
    void coreDoesNoIo() {
        DescribedPredicate<JavaClass> outside = resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
                .and(not(equivalentTo(Serializable.class)));
        DescribedPredicate<JavaClass> threads = assignableTo(Thread.class)
                .or(assignableTo(Executor.class))
                .or(assignableTo(CompletionService.class))
                .or(assignableTo(CompletableFuture.class))
                .or(assignableTo(ForkJoinTask.class))
                .or(equivalentTo(Executors.class))
                .or(equivalentTo(Timer.class));
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(outside.or(threads).as("reach files, the network or threads"))
                .check(CLASSES);
    }

    @Test
    void coreReadsNoClock() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(equivalentTo(Clock.class))
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethodWhere(readsTheClock())
                .check(CLASSES);
    }

    @Test
    void coreDrawsNoRandomNumbersOfItsOwn() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(assignableTo(Random.class).or(equivalentTo(ThreadLocalRandom.class)))
                .orShould()
                .callMethod(Math.class, "random")
                .check(CLASSES);
    }

    /** Engines report what they observe; {@code live.attempt} alone says what it means. */
    @Test
    void enginesDoNoAccounting() {
        DescribedPredicate<JavaClass> accounting = equivalentTo(Outcome.class)
                .or(equivalentTo(Usage.class))
                .or(equivalentTo(AttemptMeasurements.class))
                .or(equivalentTo(ExhaustedResource.class))
                .or(equivalentTo(EngineEvent.AttemptExit.class))
                .or(equivalentTo(EngineEvent.JobReport.class))
                .or(equivalentTo(EngineEvent.MeasurementsReported.class))
                .or(equivalentTo(EngineEvent.ProgressReported.class));
        noClasses()
                .that()
                .resideInAPackage("dev.fermata.engine..")
                .should()
                .dependOnClassesThat(accounting.as("say what an attempt used, how it ended or what it reported"))
                .check(CLASSES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Util", "Utils", "Helper", "Manager", "Impl", "Context"})
    void noTypeHasAVagueSuffix(String suffix) {
        noClasses().should().haveSimpleNameEndingWith(suffix).check(CLASSES);
    }

    /** Records included: their canonical constructor has a parameter for each component. */
    @ParameterizedTest
    @ValueSource(strings = {CORE, "dev.fermata.live.."})
    void constructorsHaveFewParameters(String module) {
        constructors()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage(module)
                .should(haveAtMost(MAX_PARAMETERS))
                .check(CLASSES);
    }

    private static ArchCondition<JavaConstructor> haveAtMost(int parameters) {
        return new ArchCondition<>("have at most " + parameters + " parameters") {
            @Override
            public void check(JavaConstructor constructor, ConditionEvents events) {
                int count = constructor.getRawParameterTypes().size();
                events.add(new SimpleConditionEvent(
                        constructor, count <= parameters, constructor.getFullName() + " has " + count));
            }
        };
    }

    private static DescribedPredicate<JavaMethodCall> readsTheClock() {
        return DescribedPredicate.describe(
                "ask for the time now",
                call -> call.getTargetOwner().getPackageName().startsWith("java.time")
                        && call.getName().equals("now"));
    }
}
