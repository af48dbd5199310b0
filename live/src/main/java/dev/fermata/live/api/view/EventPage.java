package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of history entries, oldest first; {@code next} is the {@code cursor} of the next page, absent when there is none yet.
 */
public record EventPage(List<EventView> items, @Nullable String next) {}
