package dev.fermata.live.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every attack against a daemon in every configuration: SQLite and PostgreSQL, as root and not. An attack is refused or harms
 * only the attacker: the daemon lives, and another user's requests are answered meanwhile.
 */
class HostileTenantTest {
    private static final Logger LOG = LoggerFactory.getLogger(HostileTenantTest.class);
    /** Far above the second that others may have to wait, for slow machines; the log has the measured time. */
    private static final long MOST_MILLIS = 15_000;

    private final List<HostileTarget> targets = new ArrayList<>();

    @TempDir
    private Path folder;

    private static List<Attack> attacks() {
        return Stream.of(OutsideAttacks.all(), InsideAttacks.all())
                .flatMap(List::stream)
                .toList();
    }

    @TestFactory
    Stream<DynamicNode> sqlite() throws Exception {
        return against(new HostileSetup(false, false));
    }

    @TestFactory
    Stream<DynamicNode> sqliteUnderAnAccountWithoutRights() throws Exception {
        return against(new HostileSetup(false, true));
    }

    @TestFactory
    Stream<DynamicNode> postgres() throws Exception {
        return against(new HostileSetup(true, false));
    }

    @TestFactory
    Stream<DynamicNode> postgresUnderAnAccountWithoutRights() throws Exception {
        return against(new HostileSetup(true, true));
    }

    private Stream<DynamicNode> against(HostileSetup setup) throws Exception {
        if (setup.otherAccount() && !HostileSetup.ROOT) {
            return Stream.of(); // the same as without
        }
        HostileTarget target = HostileTarget.start(folder, setup);
        targets.add(target);
        return attacks().stream()
                .filter(attack -> attack.applies().test(setup))
                .map(attack -> DynamicTest.dynamicTest(attack.name(), () -> carryOut(target, attack)));
    }

    private static void carryOut(HostileTarget target, Attack attack) throws Exception {
        target.tidy();
        long longest;
        try (Bystander bystander = Bystander.start(target)) {
            attack.action().run(target);
            longest = bystander.longestMillis();
            assertThat(bystander.refused()).as(bystander.lastRefusal()).isZero();
        }
        LOG.info("{}: {}: others waited at most {} ms", target.setup, attack.name(), longest);
        assertThat(target.isAlive()).as("the daemon lives").isTrue();
        assertThat(longest).as("longest wait of another user in ms").isLessThan(MOST_MILLIS);
    }

    @AfterEach
    void stop() throws Exception {
        for (HostileTarget target : targets) {
            target.close();
        }
    }
}
