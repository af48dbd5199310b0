package dev.fermata.live.api;

import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import dev.fermata.live.spec.JobSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Routes that describe the API. They contain no job data, so they need no token. */
final class DocRoutes {
    private final String version;

    DocRoutes(String version) {
        this.version = version;
    }

    /** The given routes and these, which describe all of them. */
    List<Endpoint> withDocs(List<Endpoint> others) {
        List<Endpoint> all = new ArrayList<>(others);
        // Made once, when all routes are known: anyone may ask as often as they like.
        Supplier<Reply> openApi = once(() -> Reply.json(200, OpenApi.of(all, version, schema())));
        Supplier<Reply> page =
                once(() -> Reply.text(200, "text/html; charset=utf-8", page(all).getBytes(UTF_8)));
        Reply jobSchema = Reply.json(200, schema());
        all.add(Endpoint.of(GET, "/api/v1/schema/job", null, "The JSON Schema of a job document")
                .respondAsync(200, JsonNode.class, call -> CompletableFuture.completedFuture(jobSchema)));
        all.add(Endpoint.of(GET, "/api/v1/openapi.json", null, "The API as an OpenAPI document")
                .respondAsync(200, JsonNode.class, call -> CompletableFuture.completedFuture(openApi.get())));
        all.add(Endpoint.of(GET, "/api/v1/docs", null, "The API as an HTML page")
                .respond(200, String.class, "text/html", call -> CompletableFuture.completedFuture(page.get())));
        return List.copyOf(all);
    }

    private static JsonNode schema() {
        return ApiJson.tree(JobSchema.text());
    }

    private static Supplier<Reply> once(Supplier<Reply> make) {
        AtomicReference<Reply> made = new AtomicReference<>();
        return () -> {
            Reply known = made.get();
            if (known == null) {
                known = make.get();
                made.set(known);
            }
            return known;
        };
    }

    private String page(List<Endpoint> all) {
        StringBuilder rows = new StringBuilder();
        for (Endpoint endpoint : all) {
            StringBuilder parameters = new StringBuilder();
            endpoint.parameters()
                    .forEach(p -> parameters
                            .append("<br><code>")
                            .append(escape(p.name()))
                            .append("</code> ")
                            .append(escape(p.description())));
            rows.append("<tr><td>")
                    .append(endpoint.verb())
                    .append("<td><code>")
                    .append(escape(endpoint.path()))
                    .append("</code><td>")
                    .append(caller(endpoint))
                    .append("<td>")
                    .append(escape(endpoint.summary()))
                    .append(parameters)
                    .append("\n");
        }
        return """
                <!doctype html><html lang="en"><meta charset="utf-8"><title>The API of Fermata</title>
                <style>body{font:15px/1.45 system-ui;margin:2em auto;max-width:70em;padding:0 1em}table{border-collapse:collapse}
                td,th{border-bottom:1px solid #ccc;padding:.4em .8em;text-align:left;vertical-align:top}</style>
                <h1>Fermata %s</h1><p>For programs: <a href="openapi.json">openapi.json</a>,
                <a href="schema/job">the schema of a job</a>.</p>
                <table><tr><th>Verb<th>Path<th>Least role<th>What it does
                """.formatted(escape(version)) + rows + "</table></html>\n";
    }

    private static String caller(Endpoint endpoint) {
        Role role = endpoint.role();
        if (endpoint.forAttempt()) {
            return "the attempt";
        }
        return role == null ? "everybody" : role.name().toLowerCase(Locale.ROOT);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
