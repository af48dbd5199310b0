package dev.fermata.app.cli;

import dev.fermata.sim.reproduce.Reproduction;
import dev.fermata.sim.reproduce.Reproductions;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** What can be reproduced, for shell completion. Looked up only when asked for, so that other commands start fast. */
final class PaperNames implements Iterable<String> {
    static final String ALL = "all";

    @Override
    public Iterator<String> iterator() {
        return of(Reproductions.all()).iterator();
    }

    static List<String> of(List<Reproduction> reproductions) {
        return Stream.concat(reproductions.stream().map(Reproduction::paper), Stream.of(ALL))
                .toList();
    }
}
