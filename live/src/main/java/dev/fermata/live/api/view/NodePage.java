package dev.fermata.live.api.view;

import java.util.List;

/** All nodes. */
public record NodePage(List<NodeView> items) {}
