package dev.fermata.live.api.view;

import java.util.List;

/** The attempts of a job, oldest first. */
public record AttemptPage(List<AttemptView> items) {}
