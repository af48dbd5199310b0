package dev.fermata.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.TerminalText;
import java.util.ArrayList;
import java.util.List;

/** A refusal of the daemon (RFC 9457) as a line or two for people. */
public final class ApiClientException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int MAX_LINES = 5;

    private final int status;
    private final String description;
    private final List<InvalidField> fields;

    /** The error of one field of a request. */
    public record InvalidField(String name, String message) implements java.io.Serializable {}

    private ApiClientException(int status, String what, List<InvalidField> fields) {
        super(what);
        this.status = status;
        this.description = what;
        this.fields = new ArrayList<>(fields);
    }

    static ApiClientException of(int status, JsonNode document) {
        String detail = document.path("detail").asText(document.path("title").asText());
        List<InvalidField> fields = new ArrayList<>();
        document.path("errors")
                .forEach(error -> fields.add(new InvalidField(
                        TerminalText.escape(error.path("path").asText()),
                        TerminalText.escape(error.path("message").asText()))));
        return new ApiClientException(status, TerminalText.escape(detail), fields);
    }

    public int status() {
        return status;
    }

    public List<InvalidField> fields() {
        return List.copyOf(fields);
    }

    /** The message for the user, with its exit code. */
    public UserError toUserError() {
        return switch (status) {
            case 400, 422, 413, 415 -> UserError.invalid(describe("the daemon does not accept this"), this);
            case 401 ->
                UserError.failed(
                        describe("the daemon does not know this token")
                                + "\nGive yours by FERMATA_TOKEN; an admin creates one with: fermata token create",
                        this);
            case 403 -> UserError.failed(describe("this token does not allow that"), this);
            case 404 -> UserError.invalid(describe("not found"), this);
            case 429 -> UserError.failed(describe("too much at once; try again in a moment"), this);
            case 503 -> UserError.failed(describe("the daemon cannot take this now; try again in a moment"), this);
            default -> UserError.failed(describe("the daemon answered with status " + status), this);
        };
    }

    private String describe(String otherwise) {
        List<String> lines = new ArrayList<>();
        if (!description.isEmpty()) {
            lines.add(description);
        }
        for (InvalidField field : fields) {
            if (!description.contains(field.message()) && lines.size() < MAX_LINES) {
                lines.add(
                        field.message().contains(field.name())
                                ? field.message()
                                : field.name() + ": " + field.message());
            }
        }
        return lines.isEmpty() ? otherwise : String.join("\n", lines);
    }
}
