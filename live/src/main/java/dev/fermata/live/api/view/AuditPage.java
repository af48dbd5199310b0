package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of the audit log, newest first. */
public record AuditPage(List<AuditView> items, @Nullable String next) {}
