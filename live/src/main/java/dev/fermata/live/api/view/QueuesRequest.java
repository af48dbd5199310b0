package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of all queues: they replace those in force. */
public record QueuesRequest(List<QueueRequest> queues) {
    /** One queue; the defaults are guarantee 0, no limit, weight 1 and the usual terms. */
    public record QueueRequest(
            String path,
            @Nullable Integer guarantee,
            @Nullable Integer limit,
            @Nullable Double weight,
            @Nullable TermsRequest terms) {}

    /**
     * What the users of a queue may do.
     *
     * @param users that may submit; with {@code groups} null or empty: everybody
     * @param userGpus GPUs of each user at once
     * @param userJobs live jobs of each user
     * @param fairUsers whether users have equal shares of the queue
     * @param maxGraceSeconds the most grace of a job; an hour when null
     * @param maxMinRuntimeSeconds the most minimum run time of a job; an hour when null
     */
    public record TermsRequest(
            @Nullable List<String> users,
            @Nullable List<String> groups,
            @Nullable Integer userGpus,
            @Nullable Integer userJobs,
            @Nullable Boolean fairUsers,
            @Nullable Double maxGraceSeconds,
            @Nullable Double maxMinRuntimeSeconds,
            @Nullable TrialsRequest trials) {}

    /**
     * Who may run trials, and how large.
     *
     * @param gpus of one trial; 0 for no trials
     * @param seconds that a trial may run before it becomes a batch job
     * @param totalGpus of all trials of the queue at once
     */
    public record TrialsRequest(
            @Nullable List<String> users,
            @Nullable List<String> groups,
            @Nullable Integer gpus,
            @Nullable Double seconds,
            @Nullable Integer totalGpus) {}
}
