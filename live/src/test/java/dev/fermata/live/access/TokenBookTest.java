package dev.fermata.live.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenBookTest {
    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong(1_000_000);

    @Test
    void theFirstAdminTokenIsMadeOnceInTheLifeOfAFolder() {
        try (Store store = Stores.open("sqlite", folder)) {
            TokenBook book = new TokenBook(store.tokens(), now::get);
            TokenBook.Issued first = book.firstAdmin("root").orElseThrow();
            assertThat(book.check(first.token()))
                    .hasValueSatisfying(row -> assertThat(row.role()).isEqualTo("ADMIN"));
            assertThat(book.firstAdmin("root")).isEmpty();
        }
        try (Store store = Stores.open("sqlite", folder)) {
            TokenBook book = new TokenBook(store.tokens(), now::get);
            assertThat(book.firstAdmin("root")).isEmpty();
            book.revoke(store.tokens().all().get(0).id());
            assertThat(book.firstAdmin("root")).isEmpty();
        }
    }

    @Test
    void everyUpMakesTheEarlierTokenOfTheLocalClientWorthless() {
        try (Store store = Stores.open("sqlite", folder)) {
            TokenBook book = new TokenBook(store.tokens(), now::get);
            String first = book.localClient("ann").token();
            String other = book.issue("ann", Role.USER, "", -1).token();
            assertThat(book.check(first)).isPresent();
            String second = book.localClient("ann").token();
            assertThat(book.check(first)).isEmpty();
            assertThat(book.check(second)).isPresent();
            assertThat(book.check(other)).isPresent();
        }
    }

    @Test
    void aTokenOfAnotherProcessIsForgottenSoonAfterItWasRevoked() {
        try (Store store = Stores.open("sqlite", folder)) {
            TokenBook book = new TokenBook(store.tokens(), now::get);
            TokenBook.Issued token = book.issue("ann", Role.USER, "", -1);
            assertThat(book.check(token.token())).isPresent();
            store.tokens().revoke(token.row().id(), now.get());
            now.addAndGet(2_001);
            assertThat(book.check(token.token())).isEmpty();
        }
    }

    @Test
    void tokensAreLongAndDiffer() {
        try (Store store = Stores.open("sqlite", folder)) {
            TokenBook book = new TokenBook(store.tokens(), now::get);
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                String token = book.issue("ann", Role.USER, "", -1).token();
                assertThat(token).matches("fm_[A-Za-z0-9_-]{43}");
                seen.add(token);
            }
            assertThat(seen).hasSize(50);
        }
    }
}
