package dev.fermata.live.api.view;

import java.util.List;

/** All tokens. */
public record TokenPage(List<TokenView> items) {}
