package dev.fermata.live.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.live.api.view.DryRunView;
import dev.fermata.live.api.view.ProblemDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The OpenAPI 3.1 document of a table of endpoints. */
final class OpenApi {
    private static final Pattern IN_PATH = Pattern.compile("\\{([a-z]+)}");
    private static final Map<Integer, String> STATUSES = Map.ofEntries(
            Map.entry(400, "Invalid; errors names each mistake"),
            Map.entry(401, "No valid token"),
            Map.entry(
                    403,
                    "The role of the token is not sufficient, or the request comes from a web page of another origin"),
            Map.entry(404, "Not found, or not visible to this caller"),
            Map.entry(408, "The body did not arrive in time"),
            Map.entry(409, "Not in this state, or the key was used for other jobs"),
            Map.entry(413, "Larger than the limit"),
            Map.entry(415, "Not JSON"),
            Map.entry(421, "Called under an unknown host name"),
            Map.entry(422, "Can never be placed on this cluster"),
            Map.entry(429, "Too many requests; Retry-After says when to retry"),
            Map.entry(500, "An internal error; the daemon's log has the details"),
            Map.entry(503, "Not available now; Retry-After says when to retry"));

    private final RecordSchema schemas = new RecordSchema();

    private OpenApi() {}

    static ObjectNode of(List<Endpoint> endpoints, String version, JsonNode jobSchema) {
        return new OpenApi().document(endpoints, version, jobSchema);
    }

    private ObjectNode document(List<Endpoint> endpoints, String version, JsonNode jobSchema) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "Fermata")
                .put("version", version)
                .put("description", "The daemon's API. Errors are problem documents (RFC 9457).");
        ObjectNode paths = document.putObject("paths");
        for (Endpoint endpoint : endpoints) {
            paths.withObjectProperty(endpoint.path())
                    .set(endpoint.verb().name().toLowerCase(Locale.ROOT), operation(endpoint));
        }
        ObjectNode components = document.putObject("components");
        ObjectNode schemes = components.putObject("securitySchemes");
        schemes.putObject("token").put("type", "http").put("scheme", "bearer");
        schemes.putObject("attempt")
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "FERMATA_REPORT_TOKEN of a running job");
        ObjectNode all = components.putObject("schemas");
        schemas.of(ProblemDetails.class);
        schemas.all().forEach(all::set);
        ObjectNode job = jobSchema.deepCopy();
        job.remove(List.of("$schema", "$id"));
        nest(job);
        all.set("Job", job);
        return document;
    }

    private ObjectNode operation(Endpoint endpoint) {
        ObjectNode operation = JsonNodeFactory.instance.objectNode();
        operation.put("summary", endpoint.summary());
        operation.put("operationId", id(endpoint));
        if (endpoint.role() != null) {
            operation.putArray("security").addObject().putArray("token");
            operation.put("x-fermata-role", endpoint.role().name().toLowerCase(Locale.ROOT));
        }
        if (endpoint.forAttempt()) {
            operation.putArray("security").addObject().putArray("attempt");
        }
        parameters(operation, endpoint);
        endpoint.body().ifPresent(type -> {
            ObjectNode body = operation.putObject("requestBody").put("required", true);
            body.putObject("content").putObject(Endpoint.JSON).set("schema", request(type));
        });
        ObjectNode responses = operation.putObject("responses");
        success(responses, endpoint);
        for (int status : failures(endpoint)) {
            ObjectNode response = responses
                    .putObject(Integer.toString(status))
                    .put("description", STATUSES.getOrDefault(status, "Rejected"));
            response.putObject("content")
                    .putObject("application/problem+json")
                    .set("schema", schemas.of(ProblemDetails.class));
        }
        return operation;
    }

    private void success(ObjectNode responses, Endpoint endpoint) {
        ObjectNode answer =
                responses.putObject(Integer.toString(endpoint.success())).put("description", "Success");
        if (endpoint.response() != Void.class) {
            answer.putObject("content").putObject(endpoint.type()).set("schema", schemas.of(endpoint.response()));
        }
        if (endpoint.parameters().stream().anyMatch(p -> p.name().equals("dryRun"))) {
            ObjectNode dry = responses.putObject("200").put("description", "The answer to a dry run");
            dry.putObject("content").putObject(Endpoint.JSON).set("schema", schemas.of(DryRunView.class));
        }
        if (endpoint.parameters().stream().anyMatch(p -> p.name().equals("Last-Event-ID"))) {
            ((ObjectNode) answer.get("content"))
                    .putObject("text/event-stream")
                    .putObject("schema")
                    .put("type", "string");
        }
    }

    private ObjectNode request(Class<?> type) {
        return type == JsonNode.class
                ? JsonNodeFactory.instance.objectNode().put("$ref", "#/components/schemas/Job")
                : schemas.of(type);
    }

    private static SortedSet<Integer> failures(Endpoint endpoint) {
        List<Integer> all = new ArrayList<>(endpoint.errors());
        all.addAll(List.of(403, 421, 429, 500));
        if (endpoint.role() != null) {
            all.add(401);
        }
        if (endpoint.body().isPresent()) {
            all.addAll(List.of(400, 408, 413, 415));
        }
        return new TreeSet<>(all);
    }

    private static void parameters(ObjectNode operation, Endpoint endpoint) {
        ArrayNode list = operation.putArray("parameters");
        Matcher m = IN_PATH.matcher(endpoint.path());
        while (m.find()) {
            list.addObject()
                    .put("name", m.group(1))
                    .put("in", "path")
                    .put("required", true)
                    .putObject("schema")
                    .put("type", "string");
        }
        endpoint.parameters().forEach(p -> {
            ObjectNode one =
                    list.addObject().put("name", p.name()).put("in", p.in()).put("description", p.description());
            one.putObject("schema").put("type", p.type());
        });
    }

    private static String id(Endpoint endpoint) {
        StringBuilder id = new StringBuilder(endpoint.verb().name().toLowerCase(Locale.ROOT));
        for (String part : endpoint.path().replace("/api/v1", "").split("[/{}.]+", -1)) {
            if (!part.isEmpty()) {
                id.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
            }
        }
        return id.toString();
    }

    /** Rewrites references to the schema's new position. */
    private static void nest(JsonNode node) {
        if (node instanceof ObjectNode object && object.path("$ref").isTextual()) {
            object.put("$ref", object.get("$ref").textValue().replace("#/", "#/components/schemas/Job/"));
        }
        node.forEach(OpenApi::nest);
    }
}
