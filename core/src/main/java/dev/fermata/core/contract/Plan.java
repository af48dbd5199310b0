package dev.fermata.core.contract;

import java.util.List;

/**
 * A policy's answer: what to do, why the jobs it looked at wait, and when it wants to be asked again even if nothing
 * happens ({@link #NEVER} for only on news).
 */
public record Plan(List<Action> actions, List<Verdict> verdicts, long reconsiderAtMillis) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final Plan NOTHING = new Plan(List.of(), List.of(), NEVER);
}
