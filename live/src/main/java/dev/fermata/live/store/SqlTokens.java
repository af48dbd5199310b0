package dev.fermata.live.store;

import java.sql.PreparedStatement;
import java.util.List;
import java.util.Optional;

/** Tokens, on the connections of the history. */
final class SqlTokens implements Store.TokenStore {
    private static final String SELECT = "SELECT " + SqlTables.TOKEN.selectList() + " FROM token ";

    private final WriteConnection writer;
    private final SqlReader reader;
    private final Leadership leadership;

    SqlTokens(Database database, WriteConnection writer, Leadership leadership) {
        this.leadership = leadership;
        this.writer = writer;
        this.reader = new SqlReader(database, database.readers());
    }

    @Override
    public void add(TokenRow token, AuditRow audit) {
        writer.transact("store a token", connection -> {
            leadership.lockLead(connection);
            SqlTables.TOKEN.insert(connection, List.of(token));
            SqlTables.AUDIT.insert(connection, List.of(audit));
            return true;
        });
    }

    @Override
    public Optional<TokenRow> byHash(String sha256) {
        return reader.query("look up a token", SELECT + "WHERE sha256 = ?", statement -> {
            new SqlTable.StatementParameters(statement).text(sha256);
            return SqlTables.TOKEN.read(statement).stream().findFirst();
        });
    }

    @Override
    public List<TokenRow> all() {
        return reader.query("read the tokens", SELECT + "ORDER BY created_millis, id", SqlTables.TOKEN::read);
    }

    @Override
    public boolean revoke(String id, long atMillis, AuditRow audit) {
        return writer.transact("revoke a token", connection -> {
            leadership.lockLead(connection);
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE token SET revoked_millis = ? WHERE id = ? AND revoked_millis < 0")) {
                new SqlTable.StatementParameters(update).number(atMillis).text(id);
                if (update.executeUpdate() == 0) {
                    return false;
                }
            }
            SqlTables.AUDIT.insert(connection, List.of(audit));
            return true;
        });
    }
}
