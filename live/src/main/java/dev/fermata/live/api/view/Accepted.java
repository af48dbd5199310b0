package dev.fermata.live.api.view;

import java.util.List;

/** The jobs that a submission made, in the order of the documents; {@code warnings} are sentences for the user. */
public record Accepted(List<Long> ids, List<String> warnings) {}
