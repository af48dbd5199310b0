package dev.fermata.live.loop;

import dev.fermata.live.engine.ExecutionEngine;
import java.util.function.Consumer;

/**
 * A call of the engine that waits until its cycle is durable.
 *
 * @param type what it orders, for log lines: start, preempt, kill or limit
 */
record EngineOrder(String type, long job, int attempt, Consumer<ExecutionEngine> call) {
    void issue(ExecutionEngine engine) {
        call.accept(engine);
    }
}
