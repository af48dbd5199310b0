package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.junit.jupiter.api.Test;

class OpenConnectionsTest {
    private final OpenConnections connections = new OpenConnections(4, 2);

    /** A connection without a network. */
    private static final class Local extends AbstractConnection {
        Local() {
            super(new ByteArrayEndPoint(), Runnable::run);
        }

        @Override
        public void onFillable() {}
    }

    private Local open() {
        Local connection = new Local();
        connections.onOpened(connection);
        return connection;
    }

    private Local open(String caller) {
        Local connection = open();
        connections.identify(connection, caller);
        return connection;
    }

    private static List<Boolean> areOpen(List<Local> all) {
        return all.stream().map(one -> one.getEndPoint().isOpen()).toList();
    }

    @Test
    void silentConnectionsDriveOutEachOtherNotThoseOfCallers() {
        Local ann = open("ann");
        List<Local> silent =
                new ArrayList<>(IntStream.range(0, 5).mapToObj(i -> open()).toList());

        assertThat(ann.getEndPoint().isOpen()).isTrue();
        assertThat(areOpen(silent)).containsExactly(false, false, true, true, true);
        assertThat(connections.count()).isEqualTo(4);
    }

    @Test
    void onlyCallersAreLeftThenTheOldestGoes() {
        Local first = open("ann");
        List<Local> others = List.of(open("bob"), open("eve"), open("fay"));
        Local last = open();

        assertThat(first.getEndPoint().isOpen()).isFalse();
        assertThat(areOpen(others)).containsOnly(true);
        assertThat(last.getEndPoint().isOpen()).isTrue();
    }

    @Test
    void oneCallerHasItsOwnLimit() {
        List<Local> mallory = List.of(open("mallory"), open("mallory"), open("mallory"));
        Local ann = open("ann");

        assertThat(areOpen(mallory)).containsExactly(false, true, true);
        assertThat(ann.getEndPoint().isOpen()).isTrue();
    }

    @Test
    void closedConnectionsCountNoMore() {
        Local first = open("mallory");
        Local second = open("mallory");
        connections.onClosed(first);
        connections.onClosed(first);
        Local third = open("mallory");

        assertThat(areOpen(List.of(second, third))).containsOnly(true);
        assertThat(connections.count()).isEqualTo(2);
    }
}
