package dev.fermata.live.spec;

/** A part of the job file that only some engines can serve. An engine names those it serves; a job with others is rejected. */
public enum EngineOption {
    IMAGE("image", "container images"),
    SLURM("slurm", "partitions, accounts and constraints of Slurm"),
    KUBERNETES("kubernetes", "namespaces, volumes and node selectors of Kubernetes");

    private final String key;
    private final String meaning;

    EngineOption(String key, String meaning) {
        this.key = key;
        this.meaning = meaning;
    }

    /** Its key in the job file. */
    public String key() {
        return key;
    }

    /** What it is about, for messages. */
    public String meaning() {
        return meaning;
    }
}
