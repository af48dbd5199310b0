package dev.fermata.live.store;

import java.util.List;
import java.util.Optional;

/**
 * What a daemon needs to go on.
 *
 * @param image the last image of the ledger, empty when there is none
 * @param imageSeq the line up to which the image is true
 * @param lines everything after it, in order
 * @param live rows of jobs that had not ended
 * @param liveRuns the latest attempt of each of those that has one
 * @param nextJobId the id for the next job
 * @param home where the jobs ran until now
 */
public record Recovery(
        Optional<String> image,
        long imageSeq,
        List<Line> lines,
        List<JobRow> live,
        List<RunRow> liveRuns,
        long nextSeq,
        long nextJobId,
        Home home) {}
