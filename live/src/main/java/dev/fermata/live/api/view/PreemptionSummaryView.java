package dev.fermata.live.api.view;

import java.util.List;

/** Sums over the preemption log: by {@code day}, {@code user}, {@code policy} or {@code queue}, and over all. */
public record PreemptionSummaryView(String by, List<PreemptionTotalsView> items, PreemptionTotalsView total) {}
