package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some of the trail, newest first. */
public record AuditPage(List<AuditView> items, @Nullable String next) {}
