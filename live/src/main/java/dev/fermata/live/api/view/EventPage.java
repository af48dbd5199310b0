package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some lines, oldest first; {@code next} is the {@code cursor} of the next page, absent when there is nothing more yet. */
public record EventPage(List<EventView> items, @Nullable String next) {}
