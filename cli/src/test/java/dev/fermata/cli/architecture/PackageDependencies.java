package dev.fermata.cli.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The allowed dependencies of every package group. A group is a module's root package, or a package directly below it with
 * all its subpackages. Checks classes that it is given; never loads them.
 */
public final class PackageDependencies {
    private static final String ROOT = "dev.fermata.";

    /** Group: the groups it may use. {@code core.*} is the whole module. */
    private static final Map<String, Set<String>> GROUPS = table("""
            core.model:
            core.text:
            core.contract: core.model
            core.admission: core.model core.contract
            core.estimate: core.model core.contract
            core.measure: core.model core.contract
            core.policy: core.model core.contract core.estimate
            core.prediction: core.model core.contract core.policy
            core.scheduler: core.model core.contract core.admission

            history: core.model core.contract core.estimate

            sim.cluster: core.model
            sim.profile: core.model
            sim.recording: core.model core.contract core.measure
            sim.workload: core.model core.contract core.policy sim.profile
            sim.trace: core.model core.policy sim.profile sim.workload
            sim.engine: core.model core.contract sim.workload
            sim.estimate: core.* sim.engine sim.workload
            sim.kernel: core.model core.contract core.scheduler sim.engine sim.workload
            sim.experiment: core.* sim.engine sim.estimate sim.kernel sim.recording sim.workload

            insight.exit:
            insight.format:
            insight.file: core.model core.contract core.measure insight.exit
            insight.input: core.* sim.*
            insight.experiment: core.* sim.* insight.exit insight.file insight.input
            insight.prediction: core.* sim.*
            insight.replay: core.* history sim.* insight.exit insight.experiment insight.format insight.input
            insight.saved: core.* sim.* insight.exit insight.experiment insight.input

            report.plot: insight.format
            report.text: core.policy insight.format
            report.html: insight.format insight.input report.plot report.text
            report.figure: insight.format sim.experiment sim.recording report.plot
            report.summary: core.* sim.* insight.* report.text
            report.comparison: core.* sim.* insight.* report.figure report.plot report.summary report.text
            report.page: core.* sim.* insight.* report.comparison report.figure report.html report.plot report.text
            report.replay: core.* sim.* insight.* report.*

            live.lock:
            live.retention: live.store
            live.metrics:
            live.store: core.contract history live.lock
            live.access: live.store
            live.spec: core.model core.policy core.text history
            live.profile: core.model core.contract history live.spec live.store
            live.engine: core.model core.contract core.policy history live.lock live.profile live.spec
            live.progress: live.profile
            live.attempt: core.model core.contract history live.engine live.profile live.progress live.spec
            live.prediction: core.prediction history live.store
            live.preemptions: core.model core.contract core.measure history live.profile live.store
            live.health:
            live.request: core.model history live.prediction live.profile live.spec
            live.state: core.model core.contract live.engine live.profile live.spec live.store
            live.learning: core.* history live.engine live.profile live.spec live.state live.store
            live.shadow: core.model core.contract history live.engine live.request live.spec live.state
            live.loop: core.* history live.engine live.health live.learning live.metrics live.prediction live.profile live.request live.shadow live.spec live.state live.store
            live.service: core.* history live.engine live.health live.learning live.loop live.prediction live.profile live.request live.spec live.state live.store
            live.api: core.* history live.access live.engine live.health live.learning live.metrics live.prediction live.preemptions live.profile live.request live.service live.spec live.state live.store
            live: core.policy live.*

            engine.local: core.model core.contract live.attempt live.engine live.profile live.retention live.spec
            engine.slurm: core.model history live.attempt live.engine live.spec

            web:

            cli.client: insight.exit report.text live.access
            cli.input: core.policy insight.input
            cli.output: insight.* report.text
            cli.prediction: core.prediction insight.prediction live.prediction
            cli.option: core.* sim.* insight.* report.* live.access cli.client
            cli.simulation: core.* sim.* insight.* report.* cli.option cli.output
            cli.remote: core.* insight.* report.* live.access cli.client cli.input cli.option cli.output
            cli.daemon: core.* insight.* report.text live.* web cli.client cli.option cli.prediction
            cli.demo: core.* sim.workload insight.* report.text live.* cli.client cli.daemon cli.option cli.output
            cli: core.policy sim.trace sim.workload insight.exit report.text live.engine cli.*

            research: core.* sim.* insight.format insight.input
            research.dally: core.* sim.* insight.format research
            research.fermata: core.* sim.* insight.format research
            research.fitgpp: core.* sim.* insight.format research
            research.jps: core.* sim.* insight.format research
            research.xion: core.* sim.* insight.format research
            research.xonar: core.* sim.* insight.format research
            research.suspend: core.* sim.* insight.format research
            research.judge: core.policy core.measure sim.experiment insight.* report.html
            research.run: insight.* report.text cli.output research
            research.report: insight.* report.* research
            research.command: core.policy insight.* report.* cli cli.option cli.output research.*

            bench: core.* sim.*
            bench.virtual: core.* sim.* live.* cli.prediction
            bench.torture: core.* history live.*
            bench.seeded: core.scheduler history live.loop bench.torture
            bench.measure: core.* history sim.* insight.* live.* cli.* bench.virtual
            bench.command: core.* sim.* insight.* report.* live.* cli.* bench.measure bench.seeded bench.torture
            """);

    /** Library: the groups that may use it. What is not here is Java's or an annotation. */
    private static final Map<String, Set<String>> LIBRARIES = table("""
            ch.qos.logback: cli.daemon
            com.fasterxml.jackson: history sim.trace insight.* report.text live.* cli.* bench.measure bench.torture
            com.sun.management: engine.local
            com.zaxxer.hikari: live.store
            de.siegmar.fastcsv: sim.* insight.* report.text research.judge
            io.javalin: live.api
            io.prometheus: live.api live.metrics
            jakarta: live.api
            jdk.net: live.access
            org.eclipse.jetty: live.api
            org.openjdk.jmh: bench.*
            org.slf4j: live.* engine.local engine.slurm cli.daemon
            org.sqlite: live.store
            picocli: cli.* research.command bench.command
            """);

    private static final List<String> ANYWHERE = List.of("java.", "javax.", "org.jspecify.");

    private PackageDependencies() {}

    /** Every class of the program on the class path, tests and fixtures left out. */
    public static JavaClasses program() {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar") && !location.contains("/jmh_generated/"))
                .importPackages("dev.fermata");
    }

    /** Everything in these modules that the tables do not allow, rows that no class matches, and permissions that none uses. */
    public static Set<String> violations(JavaClasses classes, Set<String> modules) {
        Set<String> found = new TreeSet<>();
        Set<String> rows = GROUPS.keySet().stream()
                .filter(group -> modules.contains(module(group)))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> unused = permissions(modules);
        for (JavaClass type : classes) {
            String group = group(type);
            if (!modules.contains(module(group))) {
                continue;
            }
            rows.remove(group);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                unused.removeAll(permissionsFor(group, target));
                if (!target.isPrimitive() && !isAllowed(group, target)) {
                    found.add(group + " must not use " + target.getName() + ": " + type.getName());
                }
            }
        }
        rows.forEach(group -> found.add("no class is in " + group));
        unused.forEach(permission -> found.add("no class uses the permission " + permission));
        return found;
    }

    /** Every single permission of these modules, as {@code group -> group} or {@code group -> library}. */
    private static Set<String> permissions(Set<String> modules) {
        Set<String> all = new TreeSet<>();
        GROUPS.forEach((from, allowed) -> allowed.forEach(to -> all.add(from + " -> " + to)));
        LIBRARIES.forEach((library, groups) -> groups.forEach(from -> all.add(from + " -> " + library)));
        all.removeIf(permission -> !modules.contains(module(permission.substring(0, permission.indexOf(' ')))));
        return all;
    }

    /** The permissions that allow a class of this group to use this one. */
    private static Set<String> permissionsFor(String from, JavaClass target) {
        if (target.getName().startsWith(ROOT)) {
            String to = group(target);
            return to.equals(from) ? Set.of() : Set.of(from + " -> " + to, from + " -> " + module(to) + ".*");
        }
        return LIBRARIES.keySet().stream()
                .filter(library -> isIn(target, library))
                .flatMap(library -> Stream.of(from + " -> " + library, module(from) + ".* -> " + library))
                .collect(Collectors.toSet());
    }

    /** Packages of these modules that depend on each other in a circle fail. */
    public static void checkCycles(JavaClasses classes, Set<String> modules) {
        SlicesRuleDefinition.slices()
                .assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getName().startsWith(ROOT) && modules.contains(module(group(type)))
                                ? SliceIdentifier.of(type.getPackageName())
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages of " + modules;
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(classes);
    }

    /** Modules that have classes here and no row in the table. */
    public static Set<String> unknownModules(JavaClasses classes) {
        Set<String> known =
                GROUPS.keySet().stream().map(PackageDependencies::module).collect(Collectors.toSet());
        return classes.stream()
                .map(type -> module(group(type)))
                .filter(module -> !known.contains(module))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isAllowed(String group, JavaClass target) {
        if (target.getName().startsWith(ROOT)) {
            return group(target).equals(group) || contains(GROUPS.getOrDefault(group, Set.of()), group(target));
        }
        return ANYWHERE.stream().anyMatch(target.getName()::startsWith)
                || LIBRARIES.entrySet().stream()
                        .anyMatch(row -> isIn(target, row.getKey()) && contains(row.getValue(), group));
    }

    private static boolean contains(Set<String> groups, String group) {
        return groups.contains(group) || groups.contains(module(group) + ".*");
    }

    private static boolean isIn(JavaClass type, String library) {
        return type.getName().startsWith(library + ".");
    }

    private static String group(JavaClass type) {
        String[] words = type.getPackageName().split("\\.", -1);
        return words.length > 3 ? words[2] + "." + words[3] : words[2];
    }

    private static String module(String group) {
        int dot = group.indexOf('.');
        return dot < 0 ? group : group.substring(0, dot);
    }

    private static Map<String, Set<String>> table(String text) {
        Map<String, Set<String>> rows = new LinkedHashMap<>();
        text.lines().filter(line -> !line.isBlank()).forEach(line -> {
            int colon = line.indexOf(':');
            String right = line.substring(colon + 1).strip();
            rows.put(line.substring(0, colon), right.isEmpty() ? Set.of() : Set.of(right.split(" ", -1)));
        });
        return rows;
    }
}
