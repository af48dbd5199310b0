package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of the preemption log, newest first; {@code next} is the {@code cursor} of the next page, absent on the last. */
public record PreemptionPage(
        List<PreemptionView> items, @Nullable String next) {}
