package dev.fermata.engine.local;

import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The variables that {@code sbatch} sets in the shell of a batch script. Other jobs get none of them: several frameworks take
 * one as the sign that Slurm has started their processes.
 */
final class SlurmVariables {
    private static final Pattern DIRECTIVE = Pattern.compile("(?m)^#SBATCH\\s");

    private SlurmVariables() {}

    /** Whether a command is a script for {@code sbatch}. */
    static boolean isBatchScript(String run) {
        return run.startsWith("#!") && DIRECTIVE.matcher(run).find();
    }

    /**
     * The variables of a batch script.
     *
     * @param gpus the GPUs as {@code CUDA_VISIBLE_DEVICES} names them
     * @param host the name of this machine
     */
    static Map<String, String> of(Launch launch, OsAccount account, String gpus, String host, String workdir) {
        JobSpec spec = launch.spec();
        Map<String, String> set = new LinkedHashMap<>();
        String job = Long.toString(launch.jobId());
        set.put("SLURM_JOB_ID", job);
        set.put("SLURM_JOBID", job);
        set.put("SLURM_JOB_NAME", spec.name());
        set.put("SLURM_JOB_USER", account.name());
        set.put("SLURM_JOB_UID", Integer.toString(account.uid()));
        set.put("SLURM_JOB_PARTITION", spec.queue());
        set.put("SLURM_CLUSTER_NAME", "fermata");
        set.put("SLURM_SUBMIT_DIR", workdir);
        set.put("SLURM_SUBMIT_HOST", host);
        set.put("SLURMD_NODENAME", host);
        set.put("SLURM_NODELIST", host);
        set.put("SLURM_JOB_NODELIST", host);
        set.put("SLURM_NNODES", "1");
        set.put("SLURM_JOB_NUM_NODES", "1");
        set.put("SLURM_RESTART_COUNT", Integer.toString(launch.attempt() - 1));
        set.put("SLURM_JOB_GPUS", gpus);
        set.put("SLURM_GPUS_ON_NODE", Integer.toString(launch.allocation().size()));
        long cpus = (launch.cpuMilli() + 999) / 1000;
        String onNode = Long.toString(cpus > 0 ? cpus : Runtime.getRuntime().availableProcessors());
        set.put("SLURM_CPUS_ON_NODE", onNode);
        set.put("SLURM_JOB_CPUS_PER_NODE", onNode);
        set.put("SLURM_TASKS_PER_NODE", Integer.toString(launch.ranks()));
        if (cpus > 0) {
            set.put("SLURM_CPUS_PER_TASK", Long.toString(Math.max(1, cpus / launch.ranks())));
        }
        if (launch.memoryMib() > 0) {
            set.put("SLURM_MEM_PER_NODE", Long.toString(launch.memoryMib()));
        }
        if (launch.arrayId() >= 0) {
            set.put("SLURM_ARRAY_JOB_ID", Long.toString(launch.arrayId()));
            set.put("SLURM_ARRAY_TASK_ID", Integer.toString(spec.array().index()));
            set.put("SLURM_ARRAY_TASK_COUNT", Integer.toString(spec.array().size()));
        }
        if (launch.ranks() > 1) { // the script is started once for each task
            set.put("SLURM_NTASKS", Integer.toString(launch.ranks()));
            set.put("SLURM_NPROCS", Integer.toString(launch.ranks()));
        }
        return set;
    }
}
