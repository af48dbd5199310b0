package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A page of jobs as SQL. States are looked up one by one and put together: each is a short walk down an index that is
 * already in the order of the ids, however many jobs there are, while for all of them at once a database would sort
 * everything it finds.
 */
final class JobSearch {
    static final String LIVE_STATES = Arrays.stream(JobState.values())
            .filter(state -> !state.isFinal())
            .map(state -> "'" + state + "'")
            .collect(Collectors.joining(", "));

    private final JobQuery query;
    private final int limit;
    private final List<JobState> states;
    private final String conditions;

    JobSearch(JobQuery query, int limit) {
        this.query = query;
        this.limit = limit;
        // The index of a user's jobs goes by state as well.
        boolean byState = !query.states().isEmpty() || !query.user().isEmpty();
        this.states = !byState
                ? List.of()
                : query.states().isEmpty()
                        ? List.of(JobState.values())
                        : query.states().stream().sorted().toList();
        this.conditions = "id < ?"
                + (query.user().isEmpty() ? "" : " AND owner = ?")
                + (query.arrayId() < 0 ? "" : " AND array_id >= 0 AND array_id = ?")
                // The same on both databases, unlike LIKE: case matters, and no character is special.
                + (query.queue().isEmpty() ? "" : " AND (queue = ? OR substr(queue, 1, ?) = ?)")
                + (query.name().isEmpty() ? "" : " AND replace(name, ?, '') <> name");
    }

    String sql() {
        String ids = states.isEmpty()
                ? branch("")
                : states.stream()
                        .map(state -> branch(" AND state = '" + state + "'"))
                        .collect(Collectors.joining(" UNION ALL "));
        // CROSS JOIN: from the ids to their rows, never the other way round, which would walk through all of them.
        return "SELECT " + Tables.JOB.selected() + ", '' FROM (SELECT id FROM (" + ids
                + ") AS several ORDER BY id DESC LIMIT ?) AS found CROSS JOIN job WHERE job.id = found.id"
                + " ORDER BY found.id DESC";
    }

    private String branch(String state) {
        return "SELECT id FROM (SELECT id FROM job WHERE " + conditions + state + " ORDER BY id DESC LIMIT ?) AS one";
    }

    void bind(PreparedStatement statement) throws SQLException {
        Table.Slots slots = new Table.Slots(statement);
        for (int i = 0; i < Math.max(1, states.size()); i++) {
            slots.number(query.beforeId());
            if (!query.user().isEmpty()) {
                slots.text(query.user());
            }
            if (query.arrayId() >= 0) {
                slots.number(query.arrayId());
            }
            if (!query.queue().isEmpty()) {
                String below = query.queue() + "/";
                slots.text(query.queue())
                        .number(below.codePointCount(0, below.length()))
                        .text(below);
            }
            if (!query.name().isEmpty()) {
                slots.text(query.name());
            }
            slots.number(limit);
        }
        slots.number(limit);
    }
}
