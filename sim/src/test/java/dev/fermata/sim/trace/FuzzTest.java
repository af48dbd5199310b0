package dev.fermata.sim.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.trace.read.Formats;
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
class FuzzTest {
    private static final int ROUNDS = 300;

    @TempDir
    private Path folder;

    static Stream<String> formats() {
        return Samples.all().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void damageIsToldInWords(String format) throws IOException {
        Rng rng = new Rng(4711);
        byte[] plain = Samples.of(format).getBytes(UTF_8);
        byte[] zipped = zip(plain);
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = damaged(round % 4 == 0 ? zipped : plain, rng);
            Path file = folder.resolve("damaged.x");
            Files.write(file, bytes);
            Optional<TraceFormat> asked = round % 2 == 0 ? Optional.empty() : Optional.of(Formats.named(format));
            try {
                Trace trace = new TraceReader(asked, round % 3 == 0).read(file);
                assertThat(Adoption.adopt(trace, 1).jobs())
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
        int flips = 1 + rng.below(4);
        for (int i = 0; i < flips; i++) {
            int at = rng.below(bytes.length);
            bytes[at] = (byte) (rng.below(2) == 0 ? bytes[at] ^ (1 << rng.below(8)) : rng.below(256));
        }
        return rng.below(4) == 0 ? Arrays.copyOf(bytes, rng.below(bytes.length)) : bytes;
    }

    private static byte[] zip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(plain);
        }
        return bytes.toByteArray();
    }
}
