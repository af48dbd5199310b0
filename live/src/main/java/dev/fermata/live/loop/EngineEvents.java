package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.EngineEvent;
import java.util.ArrayList;
import java.util.List;

/** The engine events of one cycle by type. */
record EngineEvents(
        List<EngineEvent.MeasurementsReported> measurements,
        List<EngineEvent.StateChanged> changes,
        boolean hasProgress) {
    static EngineEvents of(List<EngineEvent> events) {
        List<EngineEvent.MeasurementsReported> measurements = new ArrayList<>();
        List<EngineEvent.StateChanged> changes = new ArrayList<>();
        boolean progress = false;
        for (EngineEvent event : events) {
            switch (event.type()) {
                case MEASUREMENTS_REPORTED -> measurements.add((EngineEvent.MeasurementsReported) event);
                case STATE_CHANGED -> changes.add((EngineEvent.StateChanged) event);
                case PROGRESS_REPORTED -> progress = true;
                case ACCEPTED,
                        ORDER_FAILED,
                        BOUND,
                        NODE_REPORTED,
                        NODE_GONE,
                        NODE_CONDITION_REPORTED,
                        FOREIGN_LOAD_REPORTED,
                        JOB_OBSERVED,
                        REACHABLE,
                        UNREACHABLE,
                        SAVE_ABILITY_SHOWN -> {} // for other handlers
            }
        }
        return new EngineEvents(measurements, changes, progress);
    }

    /** Whether the event that this attempt runs is among the changes. */
    boolean hasStartOf(EngineEvent.MeasurementsReported measured) {
        return changes.stream()
                .anyMatch(change -> change.event() instanceof Event.Running running
                        && running.jobId() == measured.jobId()
                        && running.attempt() == measured.attempt());
    }
}
