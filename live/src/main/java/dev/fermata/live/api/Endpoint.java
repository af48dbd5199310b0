package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One route and everything that somebody must know about it. This table is what is registered, what is authorised and what the OpenAPI
 * document says: there is no second list.
 *
 * @param role the least role that may call it; null for everybody, without a token
 * @param request the document it takes, {@code Void} for none
 * @param response the document it answers with, {@code Void} for none
 * @param type the content type of the answer
 * @param audit what the audit trail calls it and what it is done to, with parts of the path in braces; empty for what changes nothing
 * @param errors further statuses, besides those that every route has
 */
record Endpoint(
        Verb verb,
        String path,
        @Nullable Role role,
        String summary,
        Class<?> request,
        Class<?> response,
        int success,
        String type,
        List<Parameter> parameters,
        List<Integer> errors,
        Audit audit,
        Action action) {
    static final String JSON = "application/json";

    /** Verbs with their meaning for us. */
    enum Verb {
        GET,
        POST,
        PUT,
        PATCH,
        DELETE;

        boolean changes() {
            return this != GET;
        }
    }

    /** A change as the audit trail names it. */
    record Audit(String action, String target) {
        static final Audit NONE = new Audit("", "");
    }

    /** What does the work. */
    interface Action {
        CompletableFuture<Reply> answer(Call call);
    }

    /** An action that answers at once. */
    interface Question {
        Object answer(Call call);
    }

    /** A query parameter or header. */
    record Parameter(String name, String in, String kind, String meaning) {
        static Parameter query(String name, String meaning) {
            return new Parameter(name, "query", "string", meaning);
        }

        static Parameter number(String name, String meaning) {
            return new Parameter(name, "query", "integer", meaning);
        }

        static Parameter flag(String name, String meaning) {
            return new Parameter(name, "query", "boolean", meaning);
        }

        static Parameter header(String name, String meaning) {
            return new Parameter(name, "header", "string", meaning);
        }
    }

    static Builder of(Verb verb, String path, @Nullable Role role, String summary) {
        return new Builder(verb, path, role, summary);
    }

    /** Whether its answer is a JSON document. */
    boolean answersJson() {
        return type.equals(JSON) && response != Void.class;
    }

    Optional<Class<?>> body() {
        return request == Void.class ? Optional.empty() : Optional.of(request);
    }

    /** Puts a route together in the order in which one reads it. */
    static final class Builder {
        private final Verb verb;
        private final String path;
        private final @Nullable Role role;
        private final String summary;
        private Class<?> request = Void.class;
        private final List<Parameter> parameters = new ArrayList<>();
        private List<Integer> errors = List.of();
        private Audit audit = Audit.NONE;

        private Builder(Verb verb, String path, @Nullable Role role, String summary) {
            this.verb = verb;
            this.path = path;
            this.role = role;
            this.summary = summary;
        }

        Builder takes(Class<?> document) {
            request = document;
            return this;
        }

        Builder with(Parameter... more) {
            parameters.addAll(List.of(more));
            return this;
        }

        Builder with(List<Parameter> more) {
            parameters.addAll(more);
            return this;
        }

        Builder audits(String action, String target) {
            audit = new Audit(action, target);
            return this;
        }

        Builder fails(Integer... statuses) {
            errors = List.of(statuses);
            return this;
        }

        Endpoint answers(int status, Class<?> document, String type, Action action) {
            return new Endpoint(
                    verb,
                    path,
                    role,
                    summary,
                    request,
                    document,
                    status,
                    type,
                    List.copyOf(parameters),
                    errors,
                    audit,
                    action);
        }

        Endpoint later(int status, Class<?> document, Action action) {
            return answers(status, document, JSON, action);
        }

        /** Answers 200 with this document at once. */
        Endpoint now(Class<?> document, Question question) {
            return later(
                    200, document, call -> CompletableFuture.completedFuture(Reply.json(200, question.answer(call))));
        }

        /** Answers 204 when it is done. */
        Endpoint done(java.util.function.Function<Call, CompletableFuture<Void>> action) {
            return later(204, Void.class, call -> action.apply(call).thenApply(nothing -> Reply.empty()));
        }
    }
}
