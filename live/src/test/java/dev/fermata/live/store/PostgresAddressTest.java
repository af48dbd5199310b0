package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses as users write them; the password is never shown. */
class PostgresAddressTest {
    @ParameterizedTest
    @CsvSource({
        "postgresql://ada:s%40cret%2B+@db:5433/fermata?sslmode=require, s@cret++",
        "postgres://ada:s@cret@db:5433/fermata?sslmode=require, s@cret",
        "jdbc:postgresql://db:5433/fermata?user=ada&password=secret&sslmode=require, secret",
        "postgresql://ada@db:5433/fermata?sslmode=require, from-env"
    })
    void addressNamesHostAndUserAndHidesThePassword(String text, String password) {
        PostgresAddress address =
                PostgresAddress.parse(text, Map.of("FERMATA_STORE_PASSWORD", "from-env", "PGPASSWORD", "no"));
        assertThat(address.displayUrl()).isEqualTo("postgresql://db:5433/fermata");
        assertThat(address).hasToString(address.displayUrl());
        assertThat(address.url()).isEqualTo("jdbc:postgresql://db:5433/fermata");
        assertThat(address.properties())
                .containsEntry("user", "ada")
                .containsEntry("password", password)
                .containsEntry("sslmode", "require");
    }

    @Test
    void pgPasswordIsTheLastFallback() {
        assertThat(PostgresAddress.parse("postgresql://db/f", Map.of("PGPASSWORD", "pg", "PGUSER", "bob"))
                        .properties())
                .containsEntry("password", "pg")
                .containsEntry("user", "bob");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://ada:secret@db/f",
                "secret",
                "postgresql://ada:secret@db",
                "postgresql://ada:secret@/f",
                "postgresql://ada:secret@db/",
                "postgresql:ada:secret@db/f",
                "postgresql://ada:secret%zz@db/f",
                ""
            })
    void invalidAddressIsRejectedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> StoreFactory.open(text, Path.of("nowhere")))
                .isInstanceOf(StoreException.class)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"))
                .hasMessageContaining("store");
    }
}
