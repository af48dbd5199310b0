package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.News;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports are read as they come, and nothing that a job writes there can do harm. */
class ReportTailTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path folder;

    private ReportTail tail;

    @BeforeEach
    void open() throws IOException {
        Files.writeString(folder.resolve("report"), "");
        tail = new ReportTail(folder, () -> Long.MAX_VALUE);
    }

    private void append(String text) throws IOException {
        Files.writeString(folder.resolve("report"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void aLineIsToldWhenItIsWhole() throws IOException {
        append("{\"at\":1699999999000,\"kind\":\"step\",\"step\":12,\"total\":100,");
        assertThat(tail.poll(NOW)).isEmpty();
        append("\"metric\":\"loss\",\"value\":0.31}\n");

        assertThat(tail.poll(NOW)).containsExactly(new News.Report(1_699_999_999_000L, "step", 12, 100, "loss", 0.31));
        assertThat(tail.poll(NOW)).isEmpty();
    }

    @Test
    void ofManyStepsOnlyTheLastIsTold() throws IOException {
        append("{\"kind\":\"hello\"}\n");
        for (int i = 0; i < 1000; i++) {
            append("{\"kind\":\"step\",\"step\":" + i + "}\n");
        }
        append("{\"kind\":\"saved\",\"step\":999}\n");

        assertThat(tail.poll(NOW)).extracting(News.Report::kind).containsExactly("hello", "step", "saved");
    }

    @Test
    void nonsenseIsPassedOver() throws IOException {
        append("\n{}\nnull\n[1]\n\"x\"\n{\"kind\":\"step\"\n{\"kind\":\"reboot\"}\n\0\0\n");
        append("{\"kind\":\"step\",\"step\":\"NaN\",\"metric\":{\"a\":1},\"value\":\"high\"}\n");
        append("{\"kind\":\"saved\",\"step\":3,\"metric\":\"\\u001b[31mred\",\"value\":null,\"bytes\":7}\n");

        assertThat(tail.poll(NOW))
                .containsExactly(
                        new News.Report(NOW, "step", 0, 0, "", Double.NaN),
                        new News.Report(NOW, "saved", 3, 0, "[31mred", Double.NaN, 0, 0, -1, 0, 7, 0));
    }

    @Test
    void aLineWithoutEndIsNotKept() throws IOException {
        for (int i = 0; i < 200; i++) {
            append("x".repeat(10_000));
        }
        append("\n{\"kind\":\"step\",\"step\":1}\n");

        int steps = 0;
        for (int i = 0; i < 5; i++) {
            steps += tail.poll(NOW).size();
        }
        assertThat(steps).isEqualTo(1);
    }

    @Test
    void aFileThatGrowsWithoutEndIsCutAndWhatItSaidIsRemembered() throws IOException {
        append("{\"at\":" + (NOW - 9) + ",\"kind\":\"hello\"}\n{\"at\":" + (NOW - 5) + ",\"kind\":\"saved\"}\n");
        for (int i = 0; i < 100; i++) {
            append("{\"kind\":\"step\",\"step\":1}\n".repeat(5_000));
            tail.poll(NOW);
        }
        for (int i = 0; i < 20; i++) {
            tail.poll(NOW);
        }

        assertThat(Files.size(folder.resolve("report"))).isLessThan(9 << 20);
        ReportTail next = new ReportTail(folder, () -> Long.MAX_VALUE);
        next.recall();
        next.poll(NOW);
        assertThat(next.said().helloMillis()).isEqualTo(NOW - 9);
        assertThat(next.said().savedMillis()).isEqualTo(NOW - 5);
    }

    @Test
    void timesInTheFutureAreNow() throws IOException {
        append("{\"at\":9999999999999,\"kind\":\"saved\"}\n");

        assertThat(tail.poll(NOW).get(0).atMillis()).isEqualTo(NOW);
    }

    @Test
    void aLinkInItsPlaceIsNotFollowed() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "{\"kind\":\"finished\"}\n");
        Files.delete(folder.resolve("report"));
        Files.createSymbolicLink(folder.resolve("report"), other);

        assertThat(tail.poll(NOW)).isEmpty();
        assertThat(tail.said().finished()).isFalse();
    }
}
