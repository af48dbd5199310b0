package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports are read as they arrive, and nothing that a job writes there does harm. */
class ReportReaderTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path folder;

    private ReportReader tail;

    @BeforeEach
    void open() throws IOException {
        Files.writeString(folder.resolve("report"), "");
        tail = new ReportReader(folder, () -> Long.MAX_VALUE);
    }

    private void append(String text) throws IOException {
        Files.writeString(folder.resolve("report"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void lineIsReportedWhenComplete() throws IOException {
        append("{\"at\":1699999999000,\"type\":\"step\",\"step\":12,\"total\":100,");
        assertThat(tail.poll(NOW)).isEmpty();
        append("\"metric\":\"loss\",\"value\":0.31}\n");

        assertThat(tail.poll(NOW))
                .containsExactly(new EngineEvent.JobReport(1_699_999_999_000L, "step", 12, 100, "loss", 0.31));
        assertThat(tail.poll(NOW)).isEmpty();
    }

    /** By both ways a report can come. */
    private void append(boolean received, String lines) throws IOException {
        if (received) {
            tail.receive(lines);
        } else {
            append(lines);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyTheLastOfManyStepsIsReported(boolean received) throws IOException {
        append(received, "{\"type\":\"hello\"}\n");
        for (int i = 0; i < 1000; i++) {
            append(received, "{\"type\":\"step\",\"step\":" + i + "}\n");
        }
        append(received, "{\"type\":\"saved\",\"step\":999}\n");

        assertThat(tail.poll(NOW)).extracting(EngineEvent.JobReport::type).containsExactly("hello", "step", "saved");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void malformedLinesAreSkipped(boolean received) throws IOException {
        append(received, "\n{}\nnull\n[1]\n\"x\"\n{\"type\":\"step\"\n{\"type\":\"reboot\"}\n\0\0\n");
        append(received, "{\"type\":\"step\",\"step\":\"NaN\",\"metric\":{\"a\":1},\"value\":\"high\"}\n");
        append(received, "{\"type\":\"saved\",\"step\":3,\"metric\":\"\\u001b[31mred\",\"value\":null,\"bytes\":7}\n");

        assertThat(tail.poll(NOW))
                .containsExactly(
                        new EngineEvent.JobReport(NOW, "step", 0, 0, "", Double.NaN),
                        new EngineEvent.JobReport(
                                NOW,
                                "saved",
                                3,
                                0,
                                new EngineEvent.ReportedMetric("[31mred", Double.NaN),
                                new EngineEvent.ReportedFigures(0, 0, -1, 0, 7, 0)));
    }

    @Test
    void endlessLineIsNotKept() throws IOException {
        for (int i = 0; i < 200; i++) {
            append("x".repeat(10_000));
        }
        append("\n{\"type\":\"step\",\"step\":1}\n");

        int steps = 0;
        for (int i = 0; i < 5; i++) {
            steps += tail.poll(NOW).size();
        }
        assertThat(steps).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void growingFileIsTruncatedAndItsStateIsKept(boolean received) throws IOException {
        append(
                received,
                "{\"at\":" + (NOW - 9) + ",\"type\":\"hello\"}\n{\"at\":" + (NOW - 5) + ",\"type\":\"saved\"}\n");
        for (int i = 0; i < 100; i++) {
            append(received, "{\"type\":\"step\",\"step\":1}\n".repeat(5_000));
            tail.poll(NOW);
        }
        for (int i = 0; i < 20; i++) {
            tail.poll(NOW);
        }

        assertThat(Files.size(folder.resolve(received ? "report-received" : "report")))
                .isLessThan(9 << 20);
        ReportReader next = new ReportReader(folder, () -> Long.MAX_VALUE);
        next.restore();
        next.poll(NOW);
        assertThat(next.milestones().helloMillis()).isEqualTo(NOW - 9);
        assertThat(next.milestones().savedMillis()).isEqualTo(NOW - 5);
    }

    @Test
    void reportsOfTheHelperOf010AreRead() throws IOException {
        append("{\"kind\":\"step\",\"step\":4}\n");
        assertThat(tail.poll(NOW)).containsExactly(new EngineEvent.JobReport(NOW, "step", 4, 0, "", Double.NaN));
    }

    @Test
    void stateThatADaemonOf010SavedIsKept() throws IOException {
        growingFileIsTruncatedAndItsStateIsKept(false);
        Files.move(folder.resolve("report-summary"), folder.resolve("said"));
        ReportReader next = new ReportReader(folder, () -> Long.MAX_VALUE);
        next.restore();
        assertThat(next.milestones().savedMillis()).isEqualTo(NOW - 5);
    }

    @Test
    void futureTimesAreClampedToNow() throws IOException {
        append("{\"at\":9999999999999,\"type\":\"saved\"}\n");

        assertThat(tail.poll(NOW).get(0).atMillis()).isEqualTo(NOW);
    }

    @Test
    void symbolicLinkInPlaceOfTheFileIsNotFollowed() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "{\"type\":\"finished\"}\n");
        Files.delete(folder.resolve("report"));
        Files.createSymbolicLink(folder.resolve("report"), other);

        assertThat(tail.poll(NOW)).isEmpty();
        assertThat(tail.milestones().finished()).isFalse();
    }
}
