package dev.fermata.engine.slurm;

/**
 * A partition of Slurm, as far as a submission needs it.
 *
 * @param limited whether jobs there have a time limit when they name none
 * @param setsMemory whether it gives memory to jobs that request none
 */
record SlurmPartition(String name, boolean isDefault, boolean limited, String maxTime, boolean setsMemory) {
    static SlurmPartition parse(String line) {
        OneLine values = OneLine.parse(line);
        String defaultTime = values.get("DefaultTime");
        String maxTime = values.get("MaxTime");
        return new SlurmPartition(
                values.get("PartitionName"),
                values.get("Default").equals("YES"),
                !(defaultTime.isEmpty() || defaultTime.equals("NONE")) || !isUnlimited(maxTime),
                isUnlimited(maxTime) ? "UNLIMITED" : maxTime,
                line.contains("DefMemPerCPU=")
                        || line.contains("DefMemPerGPU=")
                        || !isUnlimited(values.get("DefMemPerNode")));
    }

    static boolean isUnlimited(String value) {
        return value.isEmpty() || value.equals("UNLIMITED") || value.equals("INFINITE");
    }
}
