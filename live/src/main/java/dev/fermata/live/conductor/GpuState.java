package dev.fermata.live.conductor;

import java.util.List;

/** One GPU now: healthy or not, drained or not, the jobs on it, and the job it is promised to (-1 for none). */
public record GpuState(int gpu, int node, String type, boolean up, boolean drained, List<Long> jobs, long promisedTo) {}
