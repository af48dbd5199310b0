package dev.fermata.app;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.Serializable;
import java.time.Clock;
import java.util.Random;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which part of the program may know which other part. A room is a package directly under a module's root package. */
class RoomsTest {

    private static final String CORE = "dev.fermata.core..";
    private static final String SIM = "dev.fermata.sim..";
    private static final String LIVE = "dev.fermata.live..";
    private static final String APP = "dev.fermata.app..";

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.fermata");

    @Test
    void theImportFindsTheProgram() {
        assertThat(ALL.contain(Main.class)).isTrue();
        assertThat(ALL).anyMatch(type -> type.getPackageName().startsWith("dev.fermata.core"));
    }

    @Test
    void coreStandsAlone() {
        check(classes()
                .that()
                .resideInAPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", CORE));
    }

    @Test
    void coreTouchesNothingOutside() {
        DescribedPredicate<JavaClass> outside = resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
                .and(not(equivalentTo(Serializable.class)));
        DescribedPredicate<JavaClass> threads = assignableTo(Thread.class)
                .or(assignableTo(Executor.class))
                .or(assignableTo(CompletionService.class))
                .or(assignableTo(CompletableFuture.class))
                .or(assignableTo(ForkJoinTask.class))
                .or(equivalentTo(Executors.class))
                .or(equivalentTo(Timer.class));
        check(noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(outside.or(threads).as("reach files, the network or threads")));
    }

    @Test
    void coreReadsNoClock() {
        check(noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(equivalentTo(Clock.class))
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethodWhere(asksTheTime()));
    }

    @Test
    void coreDrawsNoRandomNumbersOfItsOwn() {
        check(noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat(assignableTo(Random.class).or(equivalentTo(ThreadLocalRandom.class)))
                .orShould()
                .callMethod(Math.class, "random"));
    }

    @ParameterizedTest
    @CsvSource({
        SIM + "," + LIVE,
        LIVE + "," + SIM,
        CORE + "," + APP,
        SIM + "," + APP,
        LIVE + "," + APP,
        "dev.fermata.core.cycle..,dev.fermata.core.policy..",
        "dev.fermata.live.conductor..,dev.fermata.live.api..",
        "dev.fermata.live.conductor..,dev.fermata.live.engine.local..",
        "dev.fermata.live.store..,dev.fermata.live.engine..",
        "dev.fermata.live.engine..,dev.fermata.live.store.."
    })
    void neverLooksAt(String room, String other) {
        check(noClasses().that().resideInAPackage(room).should().dependOnClassesThat(resideInAPackage(other)));
    }

    @ParameterizedTest
    @CsvSource({"model,model", "contract,model", "measure,model|contract", "admit,model|contract"})
    void looksOnlyAt(String room, String allowed) {
        DescribedPredicate<JavaClass> known = resideInAnyPackage("java..", "org.jspecify..", inCore(room));
        for (String other : allowed.split("\\|")) {
            known = known.or(resideInAPackage(inCore(other)));
        }
        check(classes().that().resideInAPackage(inCore(room)).should().onlyDependOnClassesThat(known));
    }

    /** The solver is a yardstick: nothing that schedules may come to need it. */
    @Test
    void onlyTheReproductionOfJpsKnowsTheSolver() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.fermata.sim.reproduce.jps..")
                .should()
                .dependOnClassesThat(resideInAPackage("com.google.ortools..")));
    }

    /** The store keeps what it is given: it knows neither who asks nor who runs. */
    @Test
    void theStoreKnowsOnlyCoreAndWhatAJobIs() {
        check(noClasses()
                .that()
                .resideInAPackage("dev.fermata.live.store..")
                .should()
                .dependOnClassesThat(resideInAPackage(LIVE)
                        .and(not(resideInAnyPackage(
                                "dev.fermata.live.store..", "dev.fermata.live.spec..", "dev.fermata.live.lock..")))));
    }

    /** A lock knows nothing of what it is on. */
    @Test
    void theLockKnowsNobody() {
        check(classes()
                .that()
                .resideInAPackage("dev.fermata.live.lock..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "dev.fermata.live.lock.."));
    }

    @Test
    void roomsOfCoreFormNoCircle() {
        check(slices().matching("dev.fermata.core.(*)..").should().beFreeOfCycles());
    }

    @Test
    void roomsOfPoliciesFormNoCircle() {
        check(slices().matching("dev.fermata.core.policy.(**)").should().beFreeOfCycles());
    }

    @Test
    void roomsOfTheSimulatorFormNoCircle() {
        check(slices().matching("dev.fermata.sim.(*)..").should().beFreeOfCycles());
    }

    @Test
    void roomsOfTheDaemonFormNoCircle() {
        check(slices().matching("dev.fermata.live.(*)..").should().beFreeOfCycles());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Util", "Utils", "Helper", "Manager", "Impl", "Context"})
    void namesSayWhatAThingIs(String suffix) {
        check(noClasses().should().haveSimpleNameEndingWith(suffix));
    }

    private static String inCore(String room) {
        return "dev.fermata.core." + room + "..";
    }

    private static DescribedPredicate<JavaMethodCall> asksTheTime() {
        return DescribedPredicate.describe(
                "ask for the time now",
                call -> call.getTargetOwner().getPackageName().startsWith("java.time")
                        && call.getName().equals("now"));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(ALL);
    }
}
