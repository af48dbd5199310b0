package dev.fermata.live.spec;

import java.util.List;
import java.util.stream.Collectors;

/** A rejected job document: all of its mistakes, each with its path. */
public final class SpecException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** One mistake. {@code message} is a whole sentence that includes the path. */
    public record SpecProblem(String path, String message) {}

    private final transient List<SpecProblem> problems;

    public SpecException(List<SpecProblem> problems) {
        super(problems.stream().map(SpecProblem::message).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public List<SpecProblem> problems() {
        return problems;
    }
}
