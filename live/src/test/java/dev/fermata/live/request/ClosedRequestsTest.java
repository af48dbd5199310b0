package dev.fermata.live.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Switches go over the constants, so each record of a closed set has a constant of its own, and each constant a record. */
class ClosedRequestsTest {
    @Test
    void requestsAndTheirTypesAreOneToOne() {
        assertOneToOne(LoopRequest.class, LoopRequest.Type.values());
    }

    @Test
    void engineEventsAndTheirTypesAreOneToOne() {
        assertOneToOne(EngineEvent.class, EngineEvent.Type.values());
    }

    private static void assertOneToOne(Class<?> closed, Enum<?>[] types) {
        List<String> records = Arrays.stream(closed.getPermittedSubclasses())
                .map(record -> record.getSimpleName()
                        .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                        .toUpperCase(Locale.ROOT))
                .toList();
        assertThat(records)
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(types).map(Enum::name).toList());
    }
}
