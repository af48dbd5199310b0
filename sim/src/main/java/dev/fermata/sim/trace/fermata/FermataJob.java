package dev.fermata.sim.trace.fermata;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads a line of Fermata's own trace. */
final class FermataJob {
    private static final double MAX_SECONDS = 4e9;
    private static final List<String> ENDS = List.of("success", "failure", "any");
    private static final int MAX_PRIORITY = 1000;
    /** What a product of decimal fractions may be off by. */
    private static final double NOISE = 1e-6;

    private final Column id;
    private final Column submit;
    private final Column gpus;
    private final Column duration;
    private final Column name;
    private final Column user;
    private final Column queue;
    private final Column jobClass;
    private final Column model;
    private final Column batch;
    private final Column gpuType;
    private final Column gpuMemory;
    private final Column cpus;
    private final Column memory;
    private final Column minGpus;
    private final Column maxGpus;
    private final Column grace;
    private final Column iterations;
    private final Column declared;
    private final Column priority;
    private final Column gpuMilli;
    private final Column after;
    private final Column array;
    private final Column arrayLimit;
    private final Map<String, List<String>> types = new HashMap<>();

    FermataJob(Header header) {
        id = header.need("id");
        submit = header.need("submit_s");
        gpus = header.need("gpus");
        duration = header.need("duration_s");
        name = header.find("name");
        user = header.find("user");
        queue = header.find("queue");
        jobClass = header.find("class");
        model = header.find("model");
        batch = header.find("batch");
        gpuType = header.find("gpu_type");
        gpuMemory = header.find("gpu_mem_mib");
        cpus = header.find("cpus");
        memory = header.find("mem_mib");
        minGpus = header.find("min_gpus");
        maxGpus = header.find("max_gpus");
        grace = header.find("grace_s");
        iterations = header.find("iterations");
        declared = header.find("declared_s");
        priority = header.find("priority");
        gpuMilli = header.find("gpu_milli");
        after = header.find("after");
        array = header.find("array");
        arrayLimit = header.find("array_limit");
    }

    TraceRecord read(Row row, Set<String> ids) {
        String text = row.text(id);
        if (text.isEmpty() || !ids.add(text)) {
            throw row.wrong(id, text.isEmpty() ? "is missing" : "is used twice");
        }
        int size = row.whole(gpus, 1, TraceRecord.MOST_GPUS);
        int min = row.has(minGpus) ? row.whole(minGpus, 1, TraceRecord.MOST_GPUS) : size;
        int max = row.has(maxGpus) ? row.whole(maxGpus, min, TraceRecord.MOST_GPUS) : Math.max(size, min);
        long millis = Math.max(1, Math.round(row.number(duration, 0.001, MAX_SECONDS) * 1000));
        return TraceRecord.builder(text, millis(row, submit), size, millis)
                .between(min, max)
                .gpuMilli(row.has(gpuMilli) ? row.whole(gpuMilli, 1, 1000) : 1000)
                .name(row.name(name, ""))
                .user(row.name(user, "nobody"))
                .queue(row.name(queue, "default"))
                .jobClass(jobClass(row))
                .model(row.name(model, ""))
                .batch(row.has(batch) ? row.whole(batch, 0, TraceRecord.MOST_BATCH) : 0)
                .gpuTypes(row.has(gpuType) ? types(row.name(gpuType, "")) : List.of())
                .gpuMemoryMib(row.has(gpuMemory) ? row.whole(gpuMemory, 0, 10_000_000) : TraceRecord.UNKNOWN)
                .cpuMilli(row.has(cpus) ? (long) Math.ceil(row.number(cpus, 0, 1e9) * 1000 - NOISE) : 0)
                .memoryMib(row.has(memory) ? (long) Math.ceil(row.number(memory, 0, 1e12)) : 0)
                .graceMillis(row.has(grace) ? millis(row, grace) : Job.DEFAULT_GRACE_MILLIS)
                .iterations(row.has(iterations) ? row.whole(iterations, 0, TraceRecord.MOST_ITERATIONS) : 0)
                .declaredMillis(row.has(declared) ? millis(row, declared) : 0)
                .priority(row.has(priority) ? row.whole(priority, -MAX_PRIORITY, MAX_PRIORITY) : 0)
                .after(row.has(after) ? after(row) : List.of())
                .array(row.name(array, ""), row.has(arrayLimit) ? row.whole(arrayLimit, 0, TraceRecord.MOST_GPUS) : 0)
                .build();
    }

    /** {@code 3 4:any}: ids, each with how that job must end; success where nothing is said. */
    private List<String> after(Row row) {
        List<String> ids = new ArrayList<>();
        for (String one : row.name(after, "").split("[ ;]+", -1)) {
            int cut = one.lastIndexOf(':');
            String end = cut < 0 ? "success" : one.substring(cut + 1);
            if (cut == 0 || one.isEmpty() || !ENDS.contains(end)) {
                throw row.wrong(
                        after, "must be ids separated by spaces, each with :success, :failure or :any if not :success");
            }
            ids.add((cut < 0 ? one : one.substring(0, cut)) + ":" + end);
        }
        return ids;
    }

    private static long millis(Row row, Column column) {
        return Math.round(row.number(column, 0, MAX_SECONDS) * 1000);
    }

    private JobClass jobClass(Row row) {
        if (!row.has(jobClass)) {
            return JobClass.BATCH;
        }
        String value = row.name(jobClass, "");
        for (JobClass known : JobClass.values()) {
            if (known.label().equalsIgnoreCase(value)) {
                return known;
            }
        }
        throw row.wrong(jobClass, "must be trial or batch");
    }

    private List<String> types(String text) {
        return types.computeIfAbsent(text, t -> List.of(t.split("\\|", -1)));
    }
}
