package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Reports of a job, each as in its report file; those that make no sense are ignored. */
public record AttemptReports(
        @JsonSetter(contentNulls = Nulls.SET) List<JsonNode> reports) {}
