package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of jobs; {@code next} is the {@code cursor} of the next page, absent on the last. */
public record JobPage(List<JobStatusView> items, @Nullable String next) {}
