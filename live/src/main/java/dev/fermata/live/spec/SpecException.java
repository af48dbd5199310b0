package dev.fermata.live.spec;

import java.util.List;
import java.util.stream.Collectors;

/** A job document that cannot be accepted: everything that is wrong with it, each with the place where it stands. */
public final class SpecException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** One mistake. {@code message} is a whole sentence that names the path again. */
    public record Problem(String path, String message) {}

    private final transient List<Problem> problems;

    public SpecException(List<Problem> problems) {
        super(problems.stream().map(Problem::message).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
