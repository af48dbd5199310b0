package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One route of the API. Registration, authorisation and the OpenAPI document all come from these; there is no second list.
 *
 * @param role the least role that may call it; null for a route without a token
 * @param forAttempt whether it needs the token of the attempt in its path, instead of a role
 * @param audit its action and target in the audit log, with parts of the path in braces; empty for a route that changes nothing
 */
record Endpoint(
        HttpVerb verb,
        String path,
        @Nullable Role role,
        boolean forAttempt,
        String summary,
        EndpointContract contract,
        AuditLabel audit,
        Handler handler) {
    static final String JSON = "application/json";

    /**
     * What a route takes and returns.
     *
     * @param request the document it takes, {@code Void} for none
     * @param response the document it returns, {@code Void} for none
     * @param success the HTTP status of a success
     * @param type the content type of the response
     * @param errors HTTP statuses besides those that every route has
     */
    record EndpointContract(
            Class<?> request,
            Class<?> response,
            int success,
            String type,
            List<EndpointParameter> parameters,
            List<Integer> errors) {}

    /** The HTTP methods in use. */
    enum HttpVerb {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE;

        boolean isMutating() {
            return this != GET;
        }
    }

    /** A change as the audit log names it. */
    record AuditLabel(String action, String target) {
        static final AuditLabel NONE = new AuditLabel("", "");
    }

    /** Answers a call. */
    interface Handler {
        CompletableFuture<Reply> handle(ApiCall call);
    }

    /** Answers a call on the calling thread. */
    interface SyncHandler {
        Object handle(ApiCall call);
    }

    /** A query parameter or header. */
    record EndpointParameter(String name, String in, String type, String description) {
        static EndpointParameter query(String name, String meaning) {
            return new EndpointParameter(name, "query", "string", meaning);
        }

        static EndpointParameter number(String name, String meaning) {
            return new EndpointParameter(name, "query", "integer", meaning);
        }

        static EndpointParameter flag(String name, String meaning) {
            return new EndpointParameter(name, "query", "boolean", meaning);
        }

        static EndpointParameter header(String name, String meaning) {
            return new EndpointParameter(name, "header", "string", meaning);
        }
    }

    static EndpointBuilder of(HttpVerb verb, String path, @Nullable Role role, String summary) {
        return new EndpointBuilder(verb, path, role, summary);
    }

    Class<?> response() {
        return contract.response;
    }

    int success() {
        return contract.success;
    }

    String type() {
        return contract.type;
    }

    List<EndpointParameter> parameters() {
        return contract.parameters;
    }

    List<Integer> errors() {
        return contract.errors;
    }

    /** Whether everybody may call it, and its answer waits for nothing: the state of health, descriptions of the API. */
    boolean isCheap() {
        return role == null && !forAttempt && contract.request == Void.class && !path.equals("/metrics");
    }

    boolean respondsWithJson() {
        return type().equals(JSON) && response() != Void.class;
    }

    Optional<Class<?>> body() {
        return contract.request == Void.class ? Optional.empty() : Optional.of(contract.request);
    }

    /** Builds a route. */
    static final class EndpointBuilder {
        private final HttpVerb verb;
        private final String path;
        private final @Nullable Role role;
        private final String summary;
        private boolean forAttempt;
        private Class<?> request = Void.class;
        private final List<EndpointParameter> parameters = new ArrayList<>();
        private List<Integer> errors = List.of();
        private AuditLabel audit = AuditLabel.NONE;

        private EndpointBuilder(HttpVerb verb, String path, @Nullable Role role, String summary) {
            this.verb = verb;
            this.path = path;
            this.role = role;
            this.summary = summary;
        }

        EndpointBuilder requestBody(Class<?> document) {
            request = document;
            return this;
        }

        /** It needs the token of the attempt {@code {attempt}} in its path. */
        EndpointBuilder forAttempt() {
            forAttempt = true;
            return this;
        }

        EndpointBuilder parameters(EndpointParameter... more) {
            parameters.addAll(List.of(more));
            return this;
        }

        EndpointBuilder parameters(List<EndpointParameter> more) {
            parameters.addAll(more);
            return this;
        }

        EndpointBuilder audit(String action, String target) {
            audit = new AuditLabel(action, target);
            return this;
        }

        EndpointBuilder errors(Integer... statuses) {
            errors = List.of(statuses);
            return this;
        }

        Endpoint respond(int status, Class<?> document, String type, Handler action) {
            return new Endpoint(
                    verb,
                    path,
                    role,
                    forAttempt,
                    summary,
                    new EndpointContract(request, document, status, type, List.copyOf(parameters), errors),
                    audit,
                    action);
        }

        Endpoint respondAsync(int status, Class<?> document, Handler action) {
            return respond(status, document, JSON, action);
        }

        /** Answers 200 with this document on the calling thread. */
        Endpoint respondNow(Class<?> document, SyncHandler question) {
            return respondAsync(
                    200, document, call -> CompletableFuture.completedFuture(Reply.json(200, question.handle(call))));
        }

        /** Answers 204 when it is done. */
        Endpoint respondEmpty(java.util.function.Function<ApiCall, CompletableFuture<Void>> action) {
            return respondAsync(204, Void.class, call -> action.apply(call).thenApply(nothing -> Reply.empty()));
        }
    }
}
