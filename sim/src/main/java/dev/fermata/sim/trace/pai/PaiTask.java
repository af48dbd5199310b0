package dev.fermata.sim.trace.pai;

import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.Row;

/** Reads a line of the table of tasks. */
final class PaiTask {
    private static final int PERCENT = 100;
    private static final double MIB_PER_GIB = 1024;
    private static final double MOST_PERCENT = 1e8;
    private static final double MOST_GIB = 1e6;

    /**
     * What a task asks for and when it ran.
     *
     * @param gpus of all instances
     * @param gpuMilli share of each of them
     * @param startSeconds −1 when it never began
     * @param endSeconds −1 when it has not ended
     */
    record Ask(int gpus, int gpuMilli, long cpuMilli, long memoryMib, double startSeconds, double endSeconds) {}

    private final Column instances;
    private final Column start;
    private final Column end;
    private final Column cpu;
    private final Column memory;
    private final Column gpu;

    PaiTask(Header header) {
        instances = header.need("inst_num");
        start = header.need("start_time");
        end = header.need("end_time");
        cpu = header.need("plan_cpu");
        memory = header.need("plan_mem");
        gpu = header.need("plan_gpu");
    }

    /**
     * Plans are for each instance: percent of a core or a GPU, GiB of memory. Less than one GPU is a share of one.
     *
     * @param before GPUs of the job's other tasks
     */
    Ask read(Row row, int before) {
        int count = row.knows(instances) ? row.whole(instances, 0, TraceRecord.MOST_GPUS) : 1;
        double percent = row.knows(gpu) ? row.number(gpu, 0, MOST_PERCENT) : 0;
        double cores = row.knows(cpu) ? row.number(cpu, 0, MOST_PERCENT) : 0;
        double gib = row.knows(memory) ? row.number(memory, 0, MOST_GIB) : 0;
        double gpus = count * Math.ceil(percent / PERCENT);
        if (gpus + before > TraceRecord.MOST_GPUS) {
            String others = before == 0 ? "" : " and " + before + " GPUs of other tasks";
            throw row.wrong(
                    gpu,
                    "times " + count + " instances" + others + " must be at most " + TraceRecord.MOST_GPUS + " GPUs");
        }
        return new Ask(
                (int) gpus,
                percent >= PERCENT ? 1000 : (int) Math.ceil(percent * 1000 / PERCENT),
                (long) Math.ceil(count * cores * 1000 / PERCENT),
                (long) Math.ceil(count * gib * MIB_PER_GIB),
                Pai.seconds(row, start),
                Pai.seconds(row, end));
    }
}
