package dev.fermata.app.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The daemon, as far as the demo needs it. */
interface Stage {
    /** Submits a job file; the id of its job. */
    long submit(JsonNode jobFile);

    /** The jobs that have not ended, as the daemon describes them. */
    List<JsonNode> living();

    /** Everything that happened since this was last asked, in order. */
    List<JsonNode> news();

    /** What an attempt wrote to its standard output. */
    String output(long job, int attempt);

    void cancel(long job);
}
