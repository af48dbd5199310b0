package dev.fermata.sim.trace.fermata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Profile;
import dev.fermata.sim.trace.ModelAssignment;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceImporter;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FermataCsvTest {
    @TempDir
    private Path folder;

    private Workload read(String text) throws IOException {
        Path file = folder.resolve("trace.csv");
        Files.writeString(file, text);
        return workload(file);
    }

    private static Workload workload(Path file) {
        return TraceImporter.toWorkload(
                new TraceReader(Optional.empty(), false).read(file),
                ModelAssignment.namedOnly(List.of(GpuCatalogue.GENERIC)));
    }

    @Test
    void dependenciesAndArraysAreRead() throws IOException {
        List<SimulatedJob> jobs = read("""
                        id,submit_s,gpus,duration_s,after,array,array_limit
                        prepare,0,1,5,,,
                        train-1,0,1,5,prepare,train,2
                        train-2,0,1,5,prepare:success,train,2
                        report,0,1,5,train-1:any;train-2:failure unknown,,
                        """).jobs();

        assertThat(jobs.get(0).job().dependencies()).isEmpty();
        assertThat(jobs.get(0).job().array()).isEqualTo(JobArray.NONE);
        assertThat(jobs.get(1).job().dependencies()).containsExactly(new Dependency(1, Dependency.Condition.SUCCESS));
        assertThat(jobs.get(1).job().array()).isEqualTo(new JobArray(2, 0, 2));
        assertThat(jobs.get(2).job().array()).isEqualTo(new JobArray(2, 1, 2));
        assertThat(jobs.get(3).job().dependencies())
                .containsExactly(
                        new Dependency(2, Dependency.Condition.ANY), new Dependency(3, Dependency.Condition.FAILURE));
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s,after\n2,0,1,5,1:done\n"))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("after")
                .hasMessageContaining(":success, :failure or :any");
    }

    @Test
    void fourColumnsAreEnough() throws IOException {
        SimulatedJob job =
                read("id,submit_s,gpus,duration_s\nx,1.5,4,90.25\n").jobs().get(0);

        assertThat(job.submitMillis()).isEqualTo(1500);
        assertThat(job.durationMillis()).isEqualTo(90_250);
        assertThat(job.job().name()).isEqualTo("x");
        assertThat(job.job().demand().minGpus()).isEqualTo(4);
        assertThat(job.job().demand().maxGpus()).isEqualTo(4);
        assertThat(job.job().jobClass()).isEqualTo(JobClass.BATCH);
        assertThat(job.job().profile()).isEqualTo(Profile.UNKNOWN);
        assertThat(job.job().costs()).isEqualTo(Costs.NONE);
        assertThat(job.job().graceMillis()).isEqualTo(Job.DEFAULT_GRACE_MILLIS);
    }

    @Test
    void columnsComeInAnyOrderAndMayBeEmpty() throws IOException {
        Workload workload = read("""
                duration_s,id,class,gpus,submit_s,model,gpu_type,gpu_mem_mib,cpus,mem_mib,min_gpus,max_gpus,grace_s,declared_s,priority,user
                60,a,TRIAL,2,5,ResNet50,V100|A100,4096,8,1000,1,4,30,120,-3,eve
                60,b,,1,5,,,,,,,,,,,
                """);

        SimulatedJob a = workload.jobs().get(0);
        assertThat(a.job().jobClass()).isEqualTo(JobClass.TRIAL);
        assertThat(a.job().profile().model()).isEqualTo("resnet50");
        assertThat(a.job().costs().preemptMillis()).isPositive();
        assertThat(a.job().demand().gpuTypes()).containsExactly("V100", "A100");
        assertThat(a.job().demand().gpuMemoryMib()).isEqualTo(4096);
        assertThat(a.job().demand().minGpus()).isEqualTo(1);
        assertThat(a.job().demand().maxGpus()).isEqualTo(4);
        assertThat(a.job().demand().cpuMilliPerGpu()).isEqualTo(2000);
        assertThat(a.job().demand().memoryMibPerGpu()).isEqualTo(250);
        assertThat(a.job().graceMillis()).isEqualTo(30_000);
        assertThat(a.job().declaredMillis()).isEqualTo(120_000);
        assertThat(a.job().priority()).isEqualTo(-3);
        assertThat(a.job().user()).isEqualTo("eve");
        assertThat(workload.jobs().get(1).job().priority()).isZero();
    }

    @Test
    void aGzippedTraceReadsLikeAPlainOne() throws IOException {
        Path file = folder.resolve("trace.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("id,submit_s,gpus,duration_s\nx,0,1,1\n".getBytes(StandardCharsets.UTF_8));
        }

        assertThat(workload(file).jobs()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a,0,0,10      | :2: gpus (0) must be from 1 to 1000000",
                "a,0,1.5,10    | :2: gpus (1.5) must be a whole number",
                "a,0,1,0       | :2: duration_s (0) must be from 0.001",
                "a,0,1,-5      | :2: duration_s (-5) must be from 0.001",
                "a,0,1,NaN     | :2: duration_s (NaN) must be a number",
                "a,-1,1,5      | :2: submit_s (-1) must be from 0",
                "a,soon,1,5    | :2: submit_s (soon) must be a number",
                "a,0,,5        | :2: gpus () must be a number",
                "a,0,1,1e300   | :2: duration_s (1e300) must be from",
            })
    void aBadRecordIsNamedWithFileLineFieldAndRule(String line, String message) {
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s\n" + line + "\n"))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("trace.csv" + message);
    }

    @Test
    void badHeadersAreNamed() {
        assertThatThrownBy(() -> read("id,submit_s,gpu,duration_s\na,0,1,1\n"))
                .hasMessageContaining("unknown column 'gpu'. Did you mean 'gpus'?");
        assertThatThrownBy(() -> read("id,submit_s,gpus\na,0,1\n"))
                .hasMessageContaining("column 'duration_s' is missing");
        assertThatThrownBy(() -> read("")).hasMessageContaining("no jobs");
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s\n")).hasMessageContaining("no jobs");
    }

    @Test
    void badOptionalFieldsAreNamed() {
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s,class\na,0,1,1,huge\n"))
                .hasMessageContaining(":2: class (huge) must be trial or batch");
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s,max_gpus\na,0,4,1,2\n"))
                .hasMessageContaining(":2: max_gpus (2) must be from 4");
        assertThatThrownBy(() -> read("id,submit_s,gpus,duration_s\na,0,1,1\nb,0,1,1\na,0,1,1\n"))
                .hasMessageContaining(":4: id (a) is used twice");
    }
}
