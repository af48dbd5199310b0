package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A page of jobs as SQL. Each state is searched separately: one short scan of an index in id order, however many jobs there
 * are. A single search over all states would sort every match.
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
        // The index of a user's jobs contains the state as well.
        boolean byState = !query.states().isEmpty() || !query.user().isEmpty();
        this.states = !byState
                ? List.of()
                : query.states().isEmpty()
                        ? List.of(JobState.values())
                        : query.states().stream().sorted().toList();
        this.conditions = "id < ?"
                + (query.user().isEmpty() ? "" : " AND owner = ?")
                + (query.arrayId() < 0 ? "" : " AND array_id >= 0 AND array_id = ?")
                // The same on both databases, unlike LIKE: case-sensitive and without wildcards.
                + (query.queue().isEmpty() ? "" : " AND (queue = ? OR substr(queue, 1, ?) = ?)")
                + (query.name().isEmpty() ? "" : " AND replace(name, ?, '') <> name");
    }

    String sql() {
        String ids = states.isEmpty()
                ? branch("")
                : states.stream()
                        .map(state -> branch(" AND state = '" + state + "'"))
                        .collect(Collectors.joining(" UNION ALL "));
        // CROSS JOIN: from the ids to their rows, never the other way round, which would scan all rows.
        return "SELECT " + SqlTables.JOB.selectList() + ", '' FROM (SELECT id FROM (" + ids
                + ") AS several ORDER BY id DESC LIMIT ?) AS found CROSS JOIN job WHERE job.id = found.id"
                + " ORDER BY found.id DESC";
    }

    private String branch(String state) {
        return "SELECT id FROM (SELECT id FROM job WHERE " + conditions + state + " ORDER BY id DESC LIMIT ?) AS one";
    }

    void bind(PreparedStatement statement) throws SQLException {
        SqlTable.StatementParameters parameters = new SqlTable.StatementParameters(statement);
        for (int i = 0; i < Math.max(1, states.size()); i++) {
            parameters.number(query.beforeId());
            if (!query.user().isEmpty()) {
                parameters.text(query.user());
            }
            if (query.arrayId() >= 0) {
                parameters.number(query.arrayId());
            }
            if (!query.queue().isEmpty()) {
                String below = query.queue() + "/";
                parameters
                        .text(query.queue())
                        .number(below.codePointCount(0, below.length()))
                        .text(below);
            }
            if (!query.name().isEmpty()) {
                parameters.text(query.name());
            }
            parameters.number(limit);
        }
        parameters.number(limit);
    }
}
