package dev.fermata.app.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.output.Harmless;
import java.util.ArrayList;
import java.util.List;

/** A refusal of the daemon (RFC 9457) as a line or two for people. */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int MOST_LINES = 5;

    private final int status;
    private final String what;
    private final List<Field> fields;

    /** What is wrong with one field of what was sent. */
    public record Field(String name, String message) implements java.io.Serializable {}

    private Problem(int status, String what, List<Field> fields) {
        super(what);
        this.status = status;
        this.what = what;
        this.fields = new ArrayList<>(fields);
    }

    static Problem of(int status, JsonNode document) {
        String detail = document.path("detail").asText(document.path("title").asText());
        List<Field> fields = new ArrayList<>();
        document.path("errors")
                .forEach(error -> fields.add(new Field(
                        Harmless.line(error.path("path").asText()),
                        Harmless.line(error.path("message").asText()))));
        return new Problem(status, Harmless.line(detail), fields);
    }

    public int status() {
        return status;
    }

    public List<Field> fields() {
        return List.copyOf(fields);
    }

    /** As it is told to the user, with the exit code that goes with it. */
    public Complaint complaint() {
        return switch (status) {
            case 400, 422, 413, 415 -> Complaint.invalid(said("the daemon does not accept this"), this);
            case 401 ->
                Complaint.failed(
                        said("the daemon does not know this token")
                                + "\nGive yours by FERMATA_TOKEN; an admin makes one with: fermata token create",
                        this);
            case 403 -> Complaint.failed(said("this token does not allow that"), this);
            case 404 -> Complaint.invalid(said("there is no such thing"), this);
            case 429 -> Complaint.failed(said("too much at once; try again in a moment"), this);
            case 503 -> Complaint.failed(said("the daemon cannot take this now; try again in a moment"), this);
            default -> Complaint.failed(said("the daemon answered with status " + status), this);
        };
    }

    private String said(String otherwise) {
        List<String> lines = new ArrayList<>();
        if (!what.isEmpty()) {
            lines.add(what);
        }
        for (Field field : fields) {
            if (!what.contains(field.message()) && lines.size() < MOST_LINES) {
                lines.add(
                        field.message().contains(field.name())
                                ? field.message()
                                : field.name() + ": " + field.message());
            }
        }
        return lines.isEmpty() ? otherwise : String.join("\n", lines);
    }
}
