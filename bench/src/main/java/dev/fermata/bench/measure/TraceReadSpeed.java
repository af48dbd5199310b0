package dev.fermata.bench.measure;

import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceImporter;
import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.Rng;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Measures how fast one thread reads a generated trace once the JVM is warm. */
public final class TraceReadSpeed {
    /** A format and how one line of it is made up; what comes before the first and after the last. */
    public record TraceTemplate(String label, String format, String header, RecordWriter line, String footer) {
        public TraceTemplate {
            TraceFormats.named(format);
        }
    }

    /** Writes one record. */
    @FunctionalInterface
    public interface RecordWriter {
        String of(int number, Rng rng);
    }

    /**
     * What came out, best of the repetitions.
     *
     * @param recordsPerCpuSecond by the time the thread itself was running, which others on the machine do not lengthen
     */
    public record ReadResult(
            String label,
            int records,
            double mebibytes,
            double recordsPerSecond,
            double recordsPerCpuSecond,
            double withJobsPerSecond) {}

    private static final LocalDateTime START = LocalDateTime.of(2020, 4, 1, 0, 0);
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final int SECONDS_BETWEEN = 20;
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private TraceReadSpeed() {}

    public static List<TraceTemplate> templates() {
        return List.of(
                new TraceTemplate(
                        "philly",
                        "philly",
                        "timestamp,duration,num_gpus,gpu_time,cluster\n",
                        (n, rng) -> {
                            int gpus = gpus(rng);
                            int time = seconds(rng);
                            return date(n) + "," + time + ".0," + gpus + "," + (double) gpus * time + ",vc"
                                    + rng.uniformInt(15) + "\n";
                        },
                        ""),
                new TraceTemplate(
                        "itp",
                        "itp",
                        "job_id,submission_time,duration,num_gpu\n",
                        (n, rng) -> Long.toHexString(rng.nextLong()) + "-" + n + "," + SECONDS_BETWEEN * n + ","
                                + seconds(rng) + "," + gpus(rng) + "\n",
                        ""),
                new TraceTemplate(
                        "helios",
                        "helios",
                        "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n",
                        (n, rng) -> n + ",u" + rng.uniformInt(300) + ",vc" + rng.uniformInt(20) + ",train"
                                + rng.uniformInt(5000) + ","
                                + gpus(rng) + ",16,1,COMPLETED," + date(n) + "," + date(n + 1) + "," + date(n + 50)
                                + "," + seconds(rng) + ",20\n",
                        ""),
                new TraceTemplate(
                        "fermata",
                        "fermata",
                        "id,submit_s,gpus,duration_s\n",
                        (n, rng) -> n + "," + SECONDS_BETWEEN * n + "," + gpus(rng) + "," + seconds(rng) + "\n",
                        ""),
                new TraceTemplate(
                        "fermata, 12 columns",
                        "fermata",
                        "id,submit_s,gpus,duration_s,name,user,queue,class,model,gpu_mem_mib,cpus,declared_s\n",
                        (n, rng) -> n + "," + SECONDS_BETWEEN * n + "," + gpus(rng) + "," + seconds(rng) + ".25,run"
                                + rng.uniformInt(5000) + ",user" + rng.uniformInt(300)
                                + ",research,batch,resnet50,8192,16,"
                                + seconds(rng) + "\n",
                        ""),
                new TraceTemplate(
                        "swf",
                        "swf",
                        "; made up\n",
                        (n, rng) -> n + " " + SECONDS_BETWEEN * n + " 5 " + seconds(rng) + " " + gpus(rng)
                                + " -1 -1 -1 " + seconds(rng) + " -1 1 " + rng.uniformInt(300) + " -1 "
                                + rng.uniformInt(50)
                                + " 1 -1 -1 -1\n",
                        ""),
                new TraceTemplate(
                        "philly-json",
                        "philly-json",
                        "[\n",
                        (n, rng) -> (n == 0 ? "" : ",\n") + "{\"status\": \"Pass\", \"vc\": \"vc" + rng.uniformInt(15)
                                + "\", \"jobid\": \"application_" + n + "\", \"user\": \"u" + rng.uniformInt(300)
                                + "\", \"submitted_time\": \"" + date(n) + "\", \"attempts\": [{\"start_time\": \""
                                + date(n + 1) + "\", \"end_time\": \"" + date(n + 2 + rng.uniformInt(900))
                                + "\", \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}]}]}",
                        "\n]\n"));
    }

    /** Stops early on request, with the figures so far. */
    public static ReadResult measure(
            TraceTemplate variant, int records, int repetitions, Path folder, BooleanSupplier stop) throws IOException {
        Path file = write(variant, records, folder);
        try {
            TraceReader reader = new TraceReader(Optional.empty(), false);
            double best = Double.MAX_VALUE;
            double bestCpu = Double.MAX_VALUE;
            double bestWithJobs = Double.MAX_VALUE;
            for (int i = 0; i < repetitions && !(stop.getAsBoolean() && i > 0); i++) {
                long cpuBegin = CPU.getCurrentThreadCpuTime();
                long begin = System.nanoTime();
                Trace trace = reader.read(file);
                long read = System.nanoTime();
                long cpuRead = CPU.getCurrentThreadCpuTime();
                int jobs = TraceImporter.toWorkload(trace, 1).jobs().size();
                long adopted = System.nanoTime();
                if (jobs != records || !trace.format().name().equals(variant.format)) {
                    throw new IllegalStateException(variant.label + ": " + jobs + " jobs of " + records + " were read");
                }
                best = Math.min(best, (read - begin) / 1e9);
                bestCpu = Math.min(bestCpu, (cpuRead - cpuBegin) / 1e9);
                bestWithJobs = Math.min(bestWithJobs, (adopted - begin) / 1e9);
            }
            double mebibytes = Files.size(file) / (double) (1 << 20);
            return new ReadResult(
                    variant.label, records, mebibytes, records / best, records / bestCpu, records / bestWithJobs);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static Path write(TraceTemplate variant, int records, Path folder) throws IOException {
        Path file = folder.resolve("trace");
        Rng rng = new Rng(1);
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
            out.print(variant.header);
            for (int i = 0; i < records; i++) {
                out.print(variant.line.of(i, rng));
            }
            out.print(variant.footer);
            if (out.checkError()) {
                throw new IOException("could not write " + file);
            }
        }
        return file;
    }

    private static String date(int number) {
        return DATE.format(START.plusSeconds((long) SECONDS_BETWEEN * number));
    }

    private static int gpus(Rng rng) {
        return 1 << rng.uniformInt(5);
    }

    private static int seconds(Rng rng) {
        return 1 + (int) rng.logNormal(1200, 1.5);
    }
}
