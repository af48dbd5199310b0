package dev.fermata.live.api.view;

import java.util.List;

/** The preemption ledger in sums: by {@code day}, {@code user}, {@code policy} or {@code queue}, and over all. */
public record PreemptionSummary(String by, List<PreemptionTotals> items, PreemptionTotals total) {}
