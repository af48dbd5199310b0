package dev.fermata.live.state;

import java.util.List;

/** The current state of one GPU: its health, its jobs, and the job it is reserved for (-1 for none). */
public record GpuState(
        int gpu, int node, String type, boolean up, boolean drained, List<Long> jobs, long reservedFor) {}
