package dev.fermata.core.contract;

import java.util.List;

/** What one step of the scheduler came to: commands for the engine, lines for the history, and when to wake it next. */
public record Decision(List<Command> commands, List<Fact> facts, List<Verdict> verdicts, long wakeAtMillis) {}
