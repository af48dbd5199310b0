package dev.fermata.live.store;

import java.sql.PreparedStatement;
import java.util.List;
import java.util.Optional;

/** Tokens, written beside the history on the same connection. */
final class SqlTokens implements Store.Tokens {
    private static final String SELECT = "SELECT " + Tables.TOKEN.selected() + " FROM token ";

    private final WriteLane lane;
    private final SqlReader reader;

    SqlTokens(Database database, WriteLane lane) {
        this.lane = lane;
        this.reader = new SqlReader(database, database.readers());
    }

    @Override
    public void add(TokenRow token) {
        lane.transact("keep a token", connection -> {
            Tables.TOKEN.insert(connection, List.of(token));
            return true;
        });
    }

    @Override
    public Optional<TokenRow> byHash(String sha256) {
        return reader.ask("look up a token", SELECT + "WHERE sha256 = ?", statement -> {
            new Table.Slots(statement).text(sha256);
            return Tables.TOKEN.read(statement).stream().findFirst();
        });
    }

    @Override
    public List<TokenRow> all() {
        return reader.ask("read the tokens", SELECT + "ORDER BY created_millis, id", Tables.TOKEN::read);
    }

    @Override
    public boolean revoke(String id, long atMillis) {
        return lane.transact("revoke a token", connection -> {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE token SET revoked_millis = ? WHERE id = ? AND revoked_millis < 0")) {
                new Table.Slots(update).number(atMillis).text(id);
                return update.executeUpdate() == 1;
            }
        });
    }
}
