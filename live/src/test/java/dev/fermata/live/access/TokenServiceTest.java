package dev.fermata.live.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenServiceTest {
    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong(1_000_000);

    private Store leadingStore() {
        Store store = StoreFactory.open("sqlite", folder);
        assertThat(store.recover(() -> false)).isPresent();
        return store;
    }

    @Test
    void everyChangeOfATokenIsAuditedWithIt() {
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            TokenService.Issuer ann = new TokenService.Issuer("ann", "ADMIN", "10.0.0.1");
            String id = tokenService.issue(ann, "bob", Role.USER, "", -1).row().id();
            assertThat(tokenService.revoke(ann, id)).isTrue();
            assertThat(tokenService.revoke(ann, id)).isFalse();

            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows())
                    .extracting(row -> row.user() + " " + row.action() + " " + row.target() + " " + row.result())
                    .containsExactly(
                            "ann revoke token " + id + " granted", "ann token token " + id + " granted: USER for bob");
        }
    }

    @Test
    void onlyTheLeaderIssuesTokens() {
        try (Store store = StoreFactory.open("sqlite", folder)) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            assertThatThrownBy(() -> tokenService.issue("ann", Role.ADMIN, "", -1))
                    .hasMessageContaining("only the leading daemon writes");
            assertThat(store.tokens().all()).isEmpty();
        }
    }

    @Test
    void firstAdminTokenIsIssuedOncePerDataFolder() {
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            TokenService.IssuedToken first =
                    tokenService.issueFirstAdmin("root").orElseThrow();
            assertThat(tokenService.authenticate(first.token()))
                    .hasValueSatisfying(row -> assertThat(row.role()).isEqualTo("ADMIN"));
            assertThat(tokenService.issueFirstAdmin("root")).isEmpty();
        }
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            assertThat(tokenService.issueFirstAdmin("root")).isEmpty();
            tokenService.revoke(store.tokens().all().get(0).id());
            assertThat(tokenService.issueFirstAdmin("root")).isEmpty();
        }
    }

    @Test
    void tokensInFilesOfEarlierVersionsAreRevoked() {
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            String local = tokenService
                    .issue("ann", Role.ADMIN, TokenService.LOCAL_CLIENT, -1)
                    .token();
            String other = tokenService.issue("ann", Role.USER, "", -1).token();

            tokenService.revokeLocalClients();

            assertThat(tokenService.authenticate(local)).isEmpty();
            assertThat(tokenService.authenticate(other)).isPresent();
        }
    }

    @Test
    void revocationByAnotherProcessTakesEffectSoon() {
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            TokenService.IssuedToken token = tokenService.issue("ann", Role.USER, "", -1);
            assertThat(tokenService.authenticate(token.token())).isPresent();
            store.tokens().revoke(token.row().id(), now.get(), new AuditRow(0, 0, "", "", "", "", "", ""));
            now.addAndGet(2_001);
            assertThat(tokenService.authenticate(token.token())).isEmpty();
        }
    }

    @Test
    void tokensAreLongAndUnique() {
        try (Store store = leadingStore()) {
            TokenService tokenService = new TokenService(store.tokens(), now::get);
            Set<String> cached = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                String token = tokenService.issue("ann", Role.USER, "", -1).token();
                assertThat(token).matches("fm_[A-Za-z0-9_-]{43}");
                cached.add(token);
            }
            assertThat(cached).hasSize(50);
        }
    }
}
