package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some jobs, and where to go on: {@code next} is the {@code cursor} of the next page, absent on the last. */
public record JobPage(List<JobView> items, @Nullable String next) {}
