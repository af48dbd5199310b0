package dev.fermata.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Switches go over the constants, so each record of a closed set has a constant of its own, and each constant a record. */
class ClosedSetsTest {
    @ParameterizedTest
    @ValueSource(classes = {Event.class, Order.class, Action.class, HistoryRecord.class})
    void typesAndRecordsAreOneToOne(Class<?> closed) {
        Class<?> types = Arrays.stream(closed.getDeclaredClasses())
                .filter(Class::isEnum)
                .filter(nested -> nested.getSimpleName().equals("Type"))
                .findFirst()
                .orElseThrow();
        assertThat(constants(types)).isNotEmpty();
        assertThat(records(closed).map(record -> constantName(record.getSimpleName())))
                .containsExactlyInAnyOrderElementsOf(constants(types));
    }

    /** NOT_YET_CONSIDERED included: it has a record too. */
    @Test
    void reasonCodesAndPendingReasonsAreOneToOne() {
        List<String> codes = records(PendingReason.class)
                .map(record -> constantName(record.getSimpleName()).replace("DEPENDENCY_PENDING", "DEPENDENCY"))
                .toList();
        assertThat(codes).containsExactlyInAnyOrderElementsOf(constants(ReasonCode.class));
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
    }

    /** The records of a sealed interface and of the sealed interfaces in it. */
    private static Stream<Class<?>> records(Class<?> sealed) {
        return sealed.isRecord()
                ? Stream.of(sealed)
                : Arrays.stream(sealed.getPermittedSubclasses())
                        .flatMap(ClosedSetsTest::records)
                        .distinct();
    }

    private static String constantName(String simpleName) {
        return simpleName.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }
}
