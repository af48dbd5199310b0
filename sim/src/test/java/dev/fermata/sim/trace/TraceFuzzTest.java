package dev.fermata.sim.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.Rng;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Damaged files give jobs or a sentence with the name of the file in it, and nothing else. */
class TraceFuzzTest {
    private static final int ROUNDS = 300;

    @TempDir
    private Path folder;

    static Stream<String> formats() {
        return TraceSamples.all().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void damagedFilesGiveAReadableError(String format) throws IOException {
        Rng rng = new Rng(4711);
        byte[] plain = TraceSamples.of(format).getBytes(UTF_8);
        byte[] zipped = zip(plain);
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = damaged(round % 4 == 0 ? zipped : plain, rng);
            Path file = folder.resolve("damaged.x");
            Files.write(file, bytes);
            Optional<TraceFormat> requested =
                    round % 2 == 0 ? Optional.empty() : Optional.of(TraceFormats.named(format));
            try {
                Trace trace = new TraceReader(requested, round % 3 == 0).read(file);
                assertThat(TraceImporter.toWorkload(trace, 1).jobs())
                        .as("round %d", round)
                        .isNotEmpty();
                read++;
            } catch (TraceException e) {
                assertThat(e).as("round %d", round).hasMessageContaining("damaged.x");
                assertThat(String.valueOf(e.getMessage())).hasSizeLessThan(4000);
            }
        }
        assertThat(read).as("files that could be read all the same").isPositive();
    }

    private static byte[] damaged(byte[] original, Rng rng) {
        byte[] bytes = original.clone();
        int flips = 1 + rng.uniformInt(4);
        for (int i = 0; i < flips; i++) {
            int at = rng.uniformInt(bytes.length);
            bytes[at] = (byte) (rng.uniformInt(2) == 0 ? bytes[at] ^ (1 << rng.uniformInt(8)) : rng.uniformInt(256));
        }
        return rng.uniformInt(4) == 0 ? Arrays.copyOf(bytes, rng.uniformInt(bytes.length)) : bytes;
    }

    private static byte[] zip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(plain);
        }
        return bytes.toByteArray();
    }
}
