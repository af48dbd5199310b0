package dev.fermata.live.api.view;

import java.util.List;

/** All queues, by path. */
public record QueuePage(List<QueueView> items) {}
