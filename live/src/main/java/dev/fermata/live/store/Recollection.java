package dev.fermata.live.store;

import dev.fermata.live.store.Tables.OwnedLine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Everything that a daemon goes on from, read in the transaction in which it took the lead. */
record Recollection(long epoch, Recovery recovery) {
    private static final int FETCHED_AT_ONCE = 2000;
    private static final String LIVE = "job.state IN (" + JobSearch.LIVE_STATES + ")";

    static Recollection read(Connection connection, long epoch, long lastSeq, Home home) throws SQLException {
        long imageSeq = 0;
        Optional<String> image = Optional.empty();
        try (PreparedStatement query =
                        connection.prepareStatement("SELECT seq, body FROM image ORDER BY seq DESC LIMIT 1");
                ResultSet result = query.executeQuery()) {
            if (result.next()) {
                imageSeq = result.getLong(1);
                image = Optional.of(result.getString(2));
            }
        }
        List<Line> lines;
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT " + Tables.LINE.selected() + " FROM line WHERE seq > ? ORDER BY seq")) {
            query.setFetchSize(FETCHED_AT_ONCE);
            new Table.Slots(query).number(imageSeq);
            lines = Tables.LINE.read(query).stream().map(OwnedLine::line).toList();
        }
        List<JobRow> live;
        try (PreparedStatement query = connection.prepareStatement("SELECT " + Tables.JOB.selected()
                + ", spec.body FROM job JOIN spec ON spec.job = job.id WHERE " + LIVE + " ORDER BY job.id")) {
            query.setFetchSize(FETCHED_AT_ONCE);
            live = Tables.JOB.read(query);
        }
        List<RunRow> runs;
        try (PreparedStatement query = connection.prepareStatement("SELECT " + Tables.RUN.selected()
                + " FROM job JOIN run ON run.job = job.id WHERE " + LIVE
                + " AND run.attempt = (SELECT MAX(attempt) FROM run AS later WHERE later.job = job.id)"
                + " ORDER BY job.id")) {
            query.setFetchSize(FETCHED_AT_ONCE);
            runs = Tables.RUN.read(query);
        }
        return new Recollection(
                epoch, new Recovery(image, imageSeq, lines, live, runs, lastSeq + 1, nextJob(connection), home));
    }

    private static long nextJob(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT COALESCE(MAX(id), 0) + 1 FROM job");
                ResultSet result = query.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }
}
