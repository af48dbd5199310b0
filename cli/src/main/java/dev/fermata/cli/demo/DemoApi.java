package dev.fermata.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The part of the daemon's API that the demo uses. */
interface DemoApi {
    /** Submits a job file; the id of its job. */
    long submit(JsonNode jobFile);

    /** The jobs that have not ended, as the daemon describes them. */
    List<JsonNode> liveJobs();

    /** The events since the last call, in order. */
    List<JsonNode> newEvents();

    /** What an attempt wrote to its standard output. */
    String output(long job, int attempt);

    void cancel(long job);
}
