package dev.fermata.live.api.view;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a person says of kinds of jobs: it counts before all measurements. */
public record ProfilesRequest(List<Entry> profiles) {
    /** One kind; {@code values} by the names of figures replace all that was said of it before, none of them takes it back. */
    public record Entry(
            String command, @Nullable String model, String gpuType, Integer gpus, Map<String, Long> values) {}
}
