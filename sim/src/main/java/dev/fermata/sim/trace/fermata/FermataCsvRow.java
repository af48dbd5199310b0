package dev.fermata.sim.trace.fermata;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads a line of Fermata's own trace. */
final class FermataCsvRow {
    private static final double MAX_SECONDS = 4e9;
    private static final List<String> OUTCOMES = List.of("success", "failure", "any");
    private static final int MAX_PRIORITY = 1000;
    /** What a product of decimal fractions may be off by. */
    private static final double NOISE = 1e-6;

    private final TraceColumn id;
    private final TraceColumn submit;
    private final TraceColumn gpus;
    private final TraceColumn duration;
    private final TraceColumn name;
    private final TraceColumn user;
    private final TraceColumn queue;
    private final TraceColumn jobClass;
    private final TraceColumn model;
    private final TraceColumn batch;
    private final TraceColumn gpuType;
    private final TraceColumn gpuMemory;
    private final TraceColumn cpus;
    private final TraceColumn memory;
    private final TraceColumn minGpus;
    private final TraceColumn maxGpus;
    private final TraceColumn grace;
    private final TraceColumn iterations;
    private final TraceColumn declared;
    private final TraceColumn priority;
    private final TraceColumn gpuMilli;
    private final TraceColumn dependencies;
    private final TraceColumn array;
    private final TraceColumn arrayLimit;
    private final Map<String, List<String>> types = new HashMap<>();

    FermataCsvRow(TraceHeader header) {
        id = header.require("id");
        submit = header.require("submit_s");
        gpus = header.require("gpus");
        duration = header.require("duration_s");
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
        dependencies = header.find("after");
        array = header.find("array");
        arrayLimit = header.find("array_limit");
    }

    TraceRecord read(TraceRow row, Set<String> ids) {
        String text = row.text(id);
        if (text.isEmpty() || !ids.add(text)) {
            throw row.error(id, text.isEmpty() ? "is missing" : "is used twice");
        }
        int size = row.integer(gpus, 1, TraceRecord.MAX_GPUS);
        int min = row.has(minGpus) ? row.integer(minGpus, 1, TraceRecord.MAX_GPUS) : size;
        int max = row.has(maxGpus) ? row.integer(maxGpus, min, TraceRecord.MAX_GPUS) : Math.max(size, min);
        long millis = Math.max(1, Math.round(row.number(duration, 0.001, MAX_SECONDS) * 1000));
        return TraceRecord.builder(text, millis(row, submit), size, millis)
                .gpuRange(min, max)
                .gpuMilli(row.has(gpuMilli) ? row.integer(gpuMilli, 1, 1000) : 1000)
                .name(row.pooledText(name, ""))
                .user(row.pooledText(user, TraceRecord.NO_USER))
                .queue(row.pooledText(queue, "default"))
                .jobClass(jobClass(row))
                .model(row.pooledText(model, ""))
                .batch(row.has(batch) ? row.integer(batch, 0, TraceRecord.MAX_BATCH) : 0)
                .gpuTypes(row.has(gpuType) ? types(row.pooledText(gpuType, "")) : List.of())
                .gpuMemoryMib(row.has(gpuMemory) ? row.integer(gpuMemory, 0, 10_000_000) : TraceRecord.UNKNOWN)
                .cpuMilli(row.has(cpus) ? (long) Math.ceil(row.number(cpus, 0, 1e9) * 1000 - NOISE) : 0)
                .memoryMib(row.has(memory) ? (long) Math.ceil(row.number(memory, 0, 1e12)) : 0)
                .graceMillis(row.has(grace) ? millis(row, grace) : Job.DEFAULT_GRACE_MILLIS)
                .iterations(row.has(iterations) ? row.integer(iterations, 0, TraceRecord.MAX_ITERATIONS) : 0)
                .declaredMillis(row.has(declared) ? millis(row, declared) : 0)
                .priority(row.has(priority) ? row.integer(priority, -MAX_PRIORITY, MAX_PRIORITY) : 0)
                .dependencies(row.has(dependencies) ? dependencies(row) : List.of())
                .array(
                        row.pooledText(array, ""),
                        row.has(arrayLimit) ? row.integer(arrayLimit, 0, TraceRecord.MAX_GPUS) : 0)
                .build();
    }

    /** {@code 3 4:any}: ids, each with how that job must end; success by default. */
    private List<String> dependencies(TraceRow row) {
        List<String> ids = new ArrayList<>();
        for (String one : row.pooledText(dependencies, "").split("[ ;]+", -1)) {
            int separator = one.lastIndexOf(':');
            String end = separator < 0 ? "success" : one.substring(separator + 1);
            if (separator == 0 || one.isEmpty() || !OUTCOMES.contains(end)) {
                throw row.error(
                        dependencies,
                        "must be ids separated by spaces, each with :success, :failure or :any if not :success");
            }
            ids.add((separator < 0 ? one : one.substring(0, separator)) + ":" + end);
        }
        return ids;
    }

    private static long millis(TraceRow row, TraceColumn column) {
        return Math.round(row.number(column, 0, MAX_SECONDS) * 1000);
    }

    private JobClass jobClass(TraceRow row) {
        if (!row.has(jobClass)) {
            return JobClass.BATCH;
        }
        String value = row.pooledText(jobClass, "");
        for (JobClass known : JobClass.values()) {
            if (known.label().equalsIgnoreCase(value)) {
                return known;
            }
        }
        throw row.error(jobClass, "must be trial or batch");
    }

    private List<String> types(String text) {
        return types.computeIfAbsent(text, t -> List.of(t.split("\\|", -1)));
    }
}
