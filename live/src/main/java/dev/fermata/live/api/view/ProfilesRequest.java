package dev.fermata.live.api.view;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Declared values of job profiles, which override measurements. */
public record ProfilesRequest(List<ProfileRequest> profiles) {
    /** One profile; {@code values} replace all values declared before, an empty mapping removes them. */
    public record ProfileRequest(
            String command, @Nullable String model, String gpuType, Integer gpus, Map<String, Long> values) {}
}
