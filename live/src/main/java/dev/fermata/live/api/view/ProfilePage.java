package dev.fermata.live.api.view;

import java.util.List;

/** All job profiles. */
public record ProfilePage(List<ProfileView> items) {}
