package dev.fermata.live.api.view;

import java.util.List;

/** All machines. */
public record NodePage(List<NodeView> items) {}
