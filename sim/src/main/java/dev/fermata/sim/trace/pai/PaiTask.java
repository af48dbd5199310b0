package dev.fermata.sim.trace.pai;

import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;

/** Reads a line of the table of tasks. */
final class PaiTask {
    private static final int PERCENT = 100;
    private static final double MIB_PER_GIB = 1024;
    private static final double MAX_PERCENT = 1e8;
    private static final double MAX_GIB = 1e6;

    /**
     * The request of a task and when it ran.
     *
     * @param gpus of all instances
     * @param gpuMilli share of each of them
     * @param startSeconds −1 when it never began
     * @param endSeconds −1 when it has not ended
     */
    record TaskRequest(int gpus, int gpuMilli, long cpuMilli, long memoryMib, double startSeconds, double endSeconds) {}

    private final TraceColumn instances;
    private final TraceColumn start;
    private final TraceColumn end;
    private final TraceColumn cpu;
    private final TraceColumn memory;
    private final TraceColumn gpu;

    PaiTask(TraceHeader header) {
        instances = header.require("inst_num");
        start = header.require("start_time");
        end = header.require("end_time");
        cpu = header.require("plan_cpu");
        memory = header.require("plan_mem");
        gpu = header.require("plan_gpu");
    }

    /**
     * Plans are for each instance: percent of a core or a GPU, GiB of memory. Less than one GPU is a share of one.
     *
     * @param before GPUs of the job's other tasks
     */
    TaskRequest read(TraceRow row, int before) {
        int count = row.hasValue(instances) ? row.integer(instances, 0, TraceRecord.MAX_GPUS) : 1;
        double percent = row.hasValue(gpu) ? row.number(gpu, 0, MAX_PERCENT) : 0;
        double cores = row.hasValue(cpu) ? row.number(cpu, 0, MAX_PERCENT) : 0;
        double gib = row.hasValue(memory) ? row.number(memory, 0, MAX_GIB) : 0;
        double gpus = count * Math.ceil(percent / PERCENT);
        if (gpus + before > TraceRecord.MAX_GPUS) {
            String others = before == 0 ? "" : " and " + before + " GPUs of other tasks";
            throw row.error(
                    gpu,
                    "times " + count + " instances" + others + " must be at most " + TraceRecord.MAX_GPUS + " GPUs");
        }
        return new TaskRequest(
                (int) gpus,
                percent >= PERCENT ? 1000 : (int) Math.ceil(percent * 1000 / PERCENT),
                (long) Math.ceil(count * cores * 1000 / PERCENT),
                (long) Math.ceil(count * gib * MIB_PER_GIB),
                Pai.seconds(row, start),
                Pai.seconds(row, end));
    }
}
