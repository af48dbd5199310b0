package dev.fermata.sim.trace.openb;

import dev.fermata.sim.trace.Drop;
import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.Row;
import dev.fermata.sim.trace.text.RowReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time}, in
 * seconds. A pod runs from when it was scheduled until it was deleted; one that never was scheduled tells how long it waited
 * and not how long it would have run. The class of service becomes the queue.
 */
public final class OpenbPods implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "name",
            "cpu_milli",
            "memory_mib",
            "num_gpu",
            "gpu_milli",
            "gpu_spec",
            "creation_time",
            "deletion_time",
            "scheduled_time");
    private static final double MOST_SECONDS = 4e9;
    private static final long MOST_MIB = 1_000_000_000_000L;

    @Override
    public String name() {
        return "openb";
    }

    @Override
    public String title() {
        return "Alibaba 2023, list of pods";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        pods(file, intake, pod -> take(pod, intake));
    }

    /** Every pod of the list, with or without a GPU, scheduled or not. */
    public static void pods(TraceFile file, Intake intake, Consumer<Pod> taker) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, taker));
    }

    private static void take(Pod pod, Intake intake) {
        double seconds = pod.deletedSeconds() - pod.scheduledSeconds();
        if (pod.gpus() == 0) {
            intake.drop(Drop.NO_GPU);
        } else if (pod.scheduledSeconds() < 0) {
            intake.drop(Drop.NEVER_RAN);
        } else if (pod.deletedSeconds() < 0) {
            intake.drop(Drop.NOT_ENDED);
        } else if (seconds <= 0) {
            intake.drop(Drop.NO_TIME);
        } else {
            long submit = Math.round(pod.createdSeconds() * 1000);
            intake.keep(TraceRecord.builder(pod.name(), submit, pod.gpus(), Math.max(1, Math.round(seconds * 1000)))
                    .gpuMilli(pod.gpuMilli())
                    .queue(pod.qos())
                    .gpuTypes(pod.gpuTypes())
                    .cpuMilli(pod.cpuMilli())
                    .memoryMib(pod.memoryMib())
                    .build());
        }
    }

    private static RowReader reader(Header header, Consumer<Pod> taker) {
        Column name = header.need("name");
        Column cpu = header.need("cpu_milli");
        Column memory = header.need("memory_mib");
        Column gpus = header.need("num_gpu");
        Column milli = header.need("gpu_milli");
        Column types = header.need("gpu_spec");
        Column qos = header.find("qos");
        Column created = header.need("creation_time");
        Column deleted = header.need("deletion_time");
        Column scheduled = header.need("scheduled_time");
        Map<String, List<String>> known = new HashMap<>(Map.of("", List.of()));
        return row -> {
            int count = row.whole(gpus, 0, TraceRecord.MOST_GPUS);
            taker.accept(new Pod(
                    row.text(name),
                    row.whole(cpu, 0L, 1000 * TraceRecord.MOST_CPUS),
                    row.whole(memory, 0L, MOST_MIB),
                    count,
                    count == 0 ? 0 : row.whole(milli, 1, 1000),
                    known.computeIfAbsent(row.name(types, ""), text -> List.of(text.split("\\|", -1))),
                    row.name(qos, "default"),
                    row.number(created, 0, MOST_SECONDS),
                    secondsOrNever(row, scheduled),
                    secondsOrNever(row, deleted)));
        };
    }

    private static double secondsOrNever(Row row, Column column) {
        return row.knows(column) ? row.number(column, 0, MOST_SECONDS) : -1;
    }
}
