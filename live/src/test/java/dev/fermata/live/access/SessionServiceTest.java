package dev.fermata.live.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.SessionService.NewSession;
import dev.fermata.live.access.SessionService.SessionOwner;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A session needs both halves, and ends with its token, by idleness and by age. */
class SessionServiceTest {
    private static final SessionOwner ANN = new SessionOwner("ann", Role.USER, "t1", "hash");

    private final AtomicLong now = new AtomicLong(1);
    private final Set<String> validTokens = new HashSet<>(Set.of("hash"));
    private final SessionService sessions = new SessionService(validTokens::contains, now::get);

    @Test
    void bothHalvesAreNeeded() {
        NewSession ann = sessions.open(ANN);
        NewSession other = sessions.open(ANN);

        assertThat(sessions.authenticate(ann.cookie(), ann.key())).contains(ANN);
        assertThat(sessions.authenticate(ann.cookie(), null)).isEmpty();
        assertThat(sessions.authenticate(null, ann.key())).isEmpty();
        assertThat(sessions.authenticate(ann.cookie(), other.key())).isEmpty();
        assertThat(sessions.authenticate(ann.key(), ann.cookie())).isEmpty();
    }

    @Test
    void itEndsWithItsToken() {
        NewSession ann = sessions.open(ANN);
        String code = sessions.issueCode(ANN);
        validTokens.clear();

        assertThat(sessions.authenticate(ann.cookie(), ann.key())).isEmpty();
        assertThat(sessions.redeem(code)).isEmpty();
    }

    @Test
    void itEndsWhenItIsIdleOrOld() {
        NewSession idle = sessions.open(ANN);
        now.addAndGet(TimeUnit.HOURS.toMillis(12));
        assertThat(sessions.authenticate(idle.cookie(), idle.key())).isEmpty();

        NewSession used = sessions.open(ANN);
        for (int hours = 0; hours < 7 * 24 - 1; hours++) {
            now.addAndGet(TimeUnit.HOURS.toMillis(1));
            assertThat(sessions.authenticate(used.cookie(), used.key())).isPresent();
        }
        now.addAndGet(TimeUnit.HOURS.toMillis(1));
        assertThat(sessions.authenticate(used.cookie(), used.key())).isEmpty();
    }

    @Test
    void aCodeOpensOneSessionWithinAMinute() {
        String code = sessions.issueCode(ANN);
        assertThat(sessions.redeem(code)).get().extracting(NewSession::owner).isEqualTo(ANN);
        assertThat(sessions.redeem(code)).isEmpty();

        String late = sessions.issueCode(ANN);
        now.addAndGet(TimeUnit.SECONDS.toMillis(60));
        assertThat(sessions.redeem(late)).isEmpty();
    }

    @Test
    void theLeastUsedSessionGivesWay() {
        NewSession kept = sessions.open(ANN);
        NewSession unused = sessions.open(ANN);
        for (int i = 0; i < 999; i++) {
            now.incrementAndGet();
            sessions.authenticate(kept.cookie(), kept.key());
            sessions.open(ANN);
        }
        assertThat(sessions.authenticate(kept.cookie(), kept.key())).isPresent();
        assertThat(sessions.authenticate(unused.cookie(), unused.key())).isEmpty();
    }
}
