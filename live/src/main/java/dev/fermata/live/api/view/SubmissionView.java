package dev.fermata.live.api.view;

import java.util.List;

/** The jobs of a submission, in the order of its documents; {@code warnings} are sentences for the user. */
public record SubmissionView(List<Long> ids, List<String> warnings) {}
