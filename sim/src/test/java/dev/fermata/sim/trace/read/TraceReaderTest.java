package dev.fermata.sim.trace.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.TraceSamples;
import dev.fermata.sim.workload.Rng;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TraceReaderTest {
    @TempDir
    private Path folder;

    private Path write(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.write(file, bytes);
        return file;
    }

    private static Trace read(Path path) {
        return new TraceReader(Optional.empty(), false).read(path);
    }

    static Stream<String> formats() {
        return TraceSamples.all().keySet().stream();
    }

    @Test
    void everyFormatHasASample() {
        assertThat(TraceSamples.all().keySet()).containsExactlyInAnyOrderElementsOf(TraceFormats.names());
    }

    @ParameterizedTest
    @MethodSource("formats")
    void aSampleMatchesOnlyItsOwnFormat(String format) throws IOException {
        FileHead head = new TraceFile(TraceSamples.write(folder, "x", TraceSamples.of(format))).head();

        assertThat(TraceFormats.all().stream().filter(f -> f.matches(head)).map(TraceFormat::name))
                .containsExactly(format);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void lineEndingsByteOrderMarksAndGzipDoNotMatter(String format) throws IOException {
        String text = TraceSamples.of(format);
        Trace plain = TraceSamples.read(folder, text);

        assertThat(read(write("crlf", text.replace("\n", "\r\n").getBytes(UTF_8)))
                        .records())
                .isEqualTo(plain.records());
        assertThat(read(write("marked", ("\uFEFF" + text).getBytes(UTF_8))).records())
                .isEqualTo(plain.records());
        assertThat(read(write("zipped-under-another-name", zip(text))).records())
                .isEqualTo(plain.records());
        assertThat(read(write("no-end", text.stripTrailing().getBytes(UTF_8))).records())
                .isEqualTo(plain.records());
    }

    @Test
    void quotedCellsAreRead() throws IOException {
        String quoted = "\"job_id\",\"submission_time\",\"duration\",\"num_gpu\"\n\"a,\n\"\"b\",\"5\",\" 7 \",\"1\"\n";

        TraceRecord job = TraceSamples.read(folder, quoted).records().get(0);

        assertThat(job.id()).isEqualTo("a,\n\"b");
        assertThat(job.durationMillis()).isEqualTo(7000);
    }

    @Test
    void anUnknownFileGetsAListOfFormats() throws IOException {
        Path file = TraceSamples.write(folder, "letter.txt", "Dear reader,\nhere are the jobs.\n");

        assertThatThrownBy(() -> read(file))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("letter.txt:1: no known trace format")
                .hasMessageContaining("Dear reader,")
                .hasMessageContaining("--format NAME reads it as one of fermata, ")
                .hasMessageContaining("docs/research/traces.md")
                .satisfies(e -> assertThat(e.getMessage())
                        .hasSizeLessThan(300 + file.toString().length()));
    }

    @Test
    void noiseIsRejectedWithoutControlCharacters() throws IOException {
        byte[] noise = new byte[100_000];
        Rng rng = new Rng(3);
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) rng.uniformInt(256);
        }
        Path file = write("noise.bin", noise);

        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("noise.bin:1: no known trace format")
                .satisfies(e -> assertThat(String.valueOf(e.getMessage()).replace("\n", ""))
                        .matches(text -> text.chars().noneMatch(Character::isISOControl)));
        for (TraceFormat format : TraceFormats.all()) {
            assertThatThrownBy(() -> new TraceReader(Optional.of(format), false).read(file))
                    .as(format.name())
                    .isInstanceOf(TraceException.class)
                    .hasMessageContaining("noise.bin");
        }
    }

    @Test
    void emptyFilesAndHeadersAloneHaveNoJobs() throws IOException {
        assertThatThrownBy(() -> TraceSamples.read(folder, "")).hasMessageContaining("sample:1: the trace has no jobs");
        assertThatThrownBy(() -> TraceSamples.read(folder, " \n\n")).hasMessageContaining("the trace has no jobs");
        assertThatThrownBy(() -> TraceSamples.read(folder, "job_id,submission_time,duration,num_gpu\n"))
                .hasMessageContaining("sample:1: the trace has no jobs");
        assertThatThrownBy(() -> TraceSamples.read(folder, "job_id,submission_time,duration,num_gpu\na,0,9,0\n"))
                .hasMessageContaining("no job that could be run: 1 job read, 0 kept; dropped: 1 without a GPU");
        assertThatThrownBy(() -> TraceSamples.lenient(folder, "job_id,submission_time,duration,num_gpu\na,0,9,x\n"))
                .hasMessageContaining("1 malformed, the first: ")
                .hasMessageContaining("num_gpu (x)");
    }

    @Test
    void aDamagedGzipFileIsReported() throws IOException {
        byte[] zipped = zip(TraceSamples.of("itp").repeat(1) + "z,900,5,1\n".repeat(50_000));
        Path separator = write("cut.csv.gz", Arrays.copyOf(zipped, zipped.length - 20));

        assertThatThrownBy(() -> read(separator))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("cut.csv.gz: the gzip data is cut off or damaged");
        Path start = write("start.gz", Arrays.copyOf(zipped, 5));
        assertThatThrownBy(() -> read(start)).hasMessageContaining("start.gz: the gzip data is cut off or damaged");
    }

    @Test
    void overlongLinesAreRejected() throws IOException {
        String head = "job_id,submission_time,duration,num_gpu\n";

        assertThatThrownBy(() -> TraceSamples.read(folder, head + "a".repeat(3_000_000) + ",1,1,1\n"))
                .hasMessageContaining("sample:2: the line has more than");
        assertThatThrownBy(() -> TraceSamples.read(folder, head + "a" + ",".repeat(3_000_000)))
                .hasMessageContaining("sample:2: the line has more than");
        assertThatThrownBy(() -> TraceSamples.read(folder, head + "\"" + "a".repeat(20_000_000)))
                .hasMessageContaining("sample:2: the line has more than")
                .hasMessageContaining("a quote that is never closed");
        assertThatThrownBy(() -> TraceSamples.read(folder, TraceSamples.of("swf") + "1 ".repeat(2_000_000)))
                .hasMessageContaining("sample:10: the line has more than");
        assertThatThrownBy(() -> TraceSamples.read(folder, "[{\"arrival_time\": \"" + "1".repeat(25_000_000)))
                .hasMessageContaining("no known trace format");
    }

    @Test
    void brokenJsonIsNamedByLine() {
        String sample = TraceSamples.of("dally");

        assertThatThrownBy(() -> TraceSamples.read(folder, sample.replace("\"800\"", "800x")))
                .hasMessageContaining("sample:5: not readable as JSON");
        assertThatThrownBy(() -> TraceSamples.read(folder, sample.substring(0, sample.length() - 30)))
                .hasMessageContaining("sample:")
                .hasMessageContaining("not readable as JSON");
    }

    @Test
    void aFolderIsOneTrace() throws IOException {
        TraceSamples.write(folder, "b.csv", "job_id,submission_time,duration,num_gpu\nlate,9,1,1\n");
        TraceSamples.write(folder, "a.csv", "job_id,submission_time,duration,num_gpu\nearly,9,1,1\n");
        TraceSamples.write(folder, "LICENCE", "Do what you like.\n");
        Files.createDirectory(folder.resolve("more"));

        Trace trace = read(folder);

        assertThat(trace.records()).extracting(TraceRecord::id).containsExactly("early", "late");
        assertThat(trace.skippedFiles()).extracting(Path::getFileName).containsExactly(Path.of("LICENCE"));

        TraceSamples.write(folder, "c.csv", TraceSamples.of("philly"));
        assertThatThrownBy(() -> read(folder))
                .hasMessageContaining("holds traces of two formats: a.csv is itp, c.csv is philly");
        assertThat(new TraceReader(Optional.of(TraceFormats.named("philly")), false)
                        .read(folder)
                        .records())
                .hasSize(3);
        assertThatThrownBy(() -> new TraceReader(Optional.of(TraceFormats.named("muri")), false).read(folder))
                .hasMessageContaining("holds no trace of format muri");
    }

    @Test
    void aFolderOfPaiJoinsItsTwoTables() throws IOException {
        TraceSamples.write(folder, "pai_task_table.csv", TraceSamples.of("pai"));
        TraceSamples.write(folder, "pai_job_table.csv", "j2,h,kim,Terminated,40.0,150.0\n");

        Trace trace = read(folder);

        assertThat(trace.files()).extracting(Path::getFileName).containsExactly(Path.of("pai_task_table.csv"));
        assertThat(trace.records().get(1).user()).isEqualTo("kim");
    }

    private static byte[] zip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }
}
