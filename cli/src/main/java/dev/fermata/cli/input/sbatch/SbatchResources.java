package dev.fermata.cli.input.sbatch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How big the job is. Slurm says it per node, per task or per GPU, in any order; the job file says GPUs for the whole,
 * and the rest per GPU.
 */
final class SbatchResources {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");
    private static final Pattern GPUS = Pattern.compile("(?:([A-Za-z][\\w.-]*):)?(\\d{1,6})");
    private static final Pattern GRES = Pattern.compile("gpu(?::([A-Za-z][\\w.-]*))?(?:[:=](\\d{1,6}))?");
    private static final Pattern MEMORY = Pattern.compile("(\\d{1,12})([KMGT]?)B?");
    private static final Map<String, Double> MEBIBYTES =
            Map.of("K", 1 / 1024.0, "", 1.0, "M", 1.0, "G", 1024.0, "T", 1048576.0);

    private int minNodes = 1;
    private int maxNodes = 1;
    private int gpus;
    private int gpusPerNode;
    private int gpusPerTask;
    private int tasks;
    private int tasksPerNode;
    private int cpusPerTask;
    private int cpusPerGpu;
    private double memory;
    private double memoryPerGpu;
    private double memoryPerCpu;
    private final List<String> types = new ArrayList<>();

    /** Whether this directive is about size. */
    boolean accept(SbatchDirective d, List<String> warnings) {
        switch (d.name()) {
            case "nodes" -> nodes(d);
            case "gpus" -> gpus = gpus(d);
            case "gpus-per-node" -> gpusPerNode = gpus(d);
            case "gpus-per-task" -> gpusPerTask = gpus(d);
            case "gres" -> gres(d, warnings);
            case "ntasks" -> tasks = d.integer(1);
            case "ntasks-per-node" -> tasksPerNode = d.integer(1);
            case "ntasks-per-gpu" -> warnings.add(d.location() + " (" + d.value() + ") is ignored; give --ntasks");
            case "cpus-per-task" -> cpusPerTask = d.integer(1);
            case "cpus-per-gpu" -> cpusPerGpu = d.integer(1);
            case "mem" -> memory = mebibytes(d);
            case "mem-per-gpu" -> memoryPerGpu = mebibytes(d);
            case "mem-per-cpu" -> memoryPerCpu = mebibytes(d);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void nodes(SbatchDirective d) {
        Matcher m = RANGE.matcher(d.value());
        if (!m.matches() || Integer.parseInt(m.group(1)) == 0) {
            throw d.error("must be a number of nodes, or a range such as 2-4");
        }
        minNodes = Integer.parseInt(m.group(1));
        maxNodes = m.group(2) == null ? minNodes : Math.max(minNodes, Integer.parseInt(m.group(2)));
    }

    private int gpus(SbatchDirective d) {
        int sum = 0;
        for (String part : d.value().split(",", -1)) {
            Matcher m = GPUS.matcher(part);
            if (!m.matches()) {
                throw d.error("must be a number of GPUs, or TYPE:NUMBER such as a100:4");
            }
            type(m.group(1));
            sum += Integer.parseInt(m.group(2));
        }
        return sum;
    }

    private void gres(SbatchDirective d, List<String> warnings) {
        for (String part : d.value().split(",", -1)) {
            Matcher m = GRES.matcher(part);
            if (m.matches()) {
                type(m.group(1));
                gpusPerNode += m.group(2) == null ? 1 : Integer.parseInt(m.group(2));
            } else if (part.equals("gpu") || part.startsWith("gpu:")) {
                throw d.error("must be gpu:NUMBER or gpu:TYPE:NUMBER");
            } else {
                warnings.add(d.location() + " (" + part + ") has no counterpart here and is ignored");
            }
        }
    }

    private void type(@org.jspecify.annotations.Nullable String type) {
        if (type != null && types.stream().noneMatch(type::equalsIgnoreCase)) {
            types.add(type.toUpperCase(Locale.ROOT));
        }
    }

    private static double mebibytes(SbatchDirective d) {
        Matcher m = MEMORY.matcher(d.value().strip().toUpperCase(Locale.ROOT));
        Double unit = m.matches() ? MEBIBYTES.get(m.group(2)) : null;
        if (unit == null) {
            throw d.error("must be a size such as 64G or 64000M");
        }
        return Double.parseDouble(m.group(1)) * unit;
    }

    /** Adds it all up. */
    void addTo(ObjectNode job, SbatchHeader header, List<String> warnings) {
        int minTasks = tasks(minNodes);
        int least = gpuCount(minNodes, minTasks);
        int max = gpus > 0 ? least : gpuCount(maxNodes, tasks(maxNodes));
        if (max > least) {
            job.withObjectProperty("gpus").put("min", least).put("max", max);
        } else if (least > 0) {
            job.put("gpus", least);
        }
        types.forEach(type -> job.withArrayProperty("accelerators").add(type));
        int parts = Math.max(1, least);
        double cpus = cpusPerGpu > 0 ? cpusPerGpu : (double) cpusPerTask * minTasks / parts;
        if (cpus > 0) {
            job.put("cpus", Math.round(cpus * 1000) / 1000.0);
        }
        double share = memoryPerGpu > 0
                ? memoryPerGpu
                : memoryPerCpu > 0 ? memoryPerCpu * Math.max(1, cpus) : memory * minNodes / parts;
        if (share > 0) {
            job.put("memory", Math.max(1, Math.round(share)) + "MiB");
        }
        srun(job, header, minTasks, warnings);
    }

    private int tasks(int nodes) {
        return tasks > 0 ? tasks : Math.max(1, tasksPerNode) * nodes;
    }

    private int gpuCount(int nodes, int tasks) {
        return gpus > 0 ? gpus : gpusPerNode > 0 ? gpusPerNode * nodes : gpusPerTask * tasks;
    }

    /** Slurm starts a script once and srun its tasks; here the script itself is what is started for each of them. */
    private static void srun(ObjectNode job, SbatchHeader header, int tasks, List<String> warnings) {
        if (header.srunLine() == 0) {
            return;
        }
        String where = header.file() + ":" + header.srunLine() + ": srun";
        if (tasks > 1) {
            job.put("ranks", tasks);
            warnings.add(
                    where + " is not needed and may not exist here: the whole script is started once for each of its "
                            + tasks + " tasks, with RANK and SLURM_PROCID set; take srun out");
        } else {
            warnings.add(where + " is not needed and may not exist here; take it out");
        }
    }
}
