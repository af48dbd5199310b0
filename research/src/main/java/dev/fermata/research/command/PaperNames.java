package dev.fermata.research.command;

import dev.fermata.research.Reproduction;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** The names of the reproductions, for shell completion. Looked up lazily, so that other commands start fast. */
public final class PaperNames implements Iterable<String> {
    static final String ALL = "all";

    @Override
    public Iterator<String> iterator() {
        return of(Reproductions.all()).iterator();
    }

    public static List<String> of(List<Reproduction> reproductions) {
        return Stream.concat(reproductions.stream().map(Reproduction::paper), Stream.of(ALL))
                .toList();
    }
}
