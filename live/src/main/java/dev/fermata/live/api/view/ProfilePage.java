package dev.fermata.live.api.view;

import java.util.List;

/** All kinds of jobs of which something is known. */
public record ProfilePage(List<ProfileView> items) {}
