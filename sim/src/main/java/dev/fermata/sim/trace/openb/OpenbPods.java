package dev.fermata.sim.trace.openb;

import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 *
 * {@code name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time}, in
 * seconds. A pod runs from when it was scheduled until it was deleted; one that never was scheduled has a wait but no
 * run time. The class of service becomes the queue.
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
    private static final double MAX_SECONDS = 4e9;
    private static final long MAX_MIB = 1_000_000_000_000L;

    @Override
    public String name() {
        return "openb";
    }

    @Override
    public String title() {
        return "Alibaba 2023, list of pods";
    }

    @Override
    public boolean matches(FileHead head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        pods(file, collector, pod -> collect(pod, collector));
    }

    /** Every pod of the list, with or without a GPU, scheduled or not. */
    public static void pods(TraceFile file, TraceCollector collector, Consumer<Pod> consumer) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, consumer));
    }

    private static void collect(Pod pod, TraceCollector collector) {
        double seconds = pod.deletedSeconds() - pod.scheduledSeconds();
        if (pod.gpus() == 0) {
            collector.drop(DropReason.NO_GPU);
        } else if (pod.scheduledSeconds() < 0) {
            collector.drop(DropReason.NEVER_RAN);
        } else if (pod.deletedSeconds() < 0) {
            collector.drop(DropReason.NOT_ENDED);
        } else if (seconds <= 0) {
            collector.drop(DropReason.NO_TIME);
        } else {
            long submit = Math.round(pod.createdSeconds() * 1000);
            collector.add(TraceRecord.builder(pod.name(), submit, pod.gpus(), Math.max(1, Math.round(seconds * 1000)))
                    .gpuMilli(pod.gpuMilli())
                    .queue(pod.qos())
                    .gpuTypes(pod.gpuTypes())
                    .cpuMilli(pod.cpuMilli())
                    .memoryMib(pod.memoryMib())
                    .build());
        }
    }

    private static RowReader reader(TraceHeader header, Consumer<Pod> consumer) {
        TraceColumn name = header.require("name");
        TraceColumn cpu = header.require("cpu_milli");
        TraceColumn memory = header.require("memory_mib");
        TraceColumn gpus = header.require("num_gpu");
        TraceColumn milli = header.require("gpu_milli");
        TraceColumn types = header.require("gpu_spec");
        TraceColumn qos = header.find("qos");
        TraceColumn created = header.require("creation_time");
        TraceColumn deleted = header.require("deletion_time");
        TraceColumn scheduled = header.require("scheduled_time");
        Map<String, List<String>> known = new HashMap<>(Map.of("", List.of()));
        return row -> {
            int count = row.integer(gpus, 0, TraceRecord.MAX_GPUS);
            consumer.accept(new Pod(
                    row.text(name),
                    row.integer(cpu, 0L, 1000 * TraceRecord.MAX_CPUS),
                    row.integer(memory, 0L, MAX_MIB),
                    count,
                    count == 0 ? 0 : row.integer(milli, 1, 1000),
                    known.computeIfAbsent(row.pooledText(types, ""), text -> List.of(text.split("\\|", -1))),
                    row.pooledText(qos, "default"),
                    row.number(created, 0, MAX_SECONDS),
                    secondsOrNever(row, scheduled),
                    secondsOrNever(row, deleted)));
        };
    }

    private static double secondsOrNever(TraceRow row, TraceColumn column) {
        return row.hasValue(column) ? row.number(column, 0, MAX_SECONDS) : -1;
    }
}
