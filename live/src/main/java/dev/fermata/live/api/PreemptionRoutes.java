package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.GET;

import dev.fermata.core.policy.Suggest;
import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.PreemptionPage;
import dev.fermata.live.api.view.PreemptionSummary;
import dev.fermata.live.ledger.Entry;
import dev.fermata.live.ledger.Entry.Outcome;
import dev.fermata.live.ledger.EntryQuery;
import dev.fermata.live.ledger.PreemptionBook;
import dev.fermata.live.ledger.Totals;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The preemption ledger: entry by entry, or in sums. Users see what concerns their own jobs, operators everything. */
final class PreemptionRoutes {
    private static final int ROWS = 100;
    private static final List<Parameter> FILTERS = List.of(
            Parameter.query("since", "only decisions from this time on (RFC 3339)"),
            Parameter.query("until", "only decisions before this time (RFC 3339)"),
            Parameter.query("user", "only what concerns a job of this user"),
            Parameter.number("job", "only what concerns this job"),
            Parameter.query("policy", "only what this policy decided"),
            Parameter.query("outcome", "outcomes, separated by commas: open, paid, not_paid, moved, declined"));

    private final PreemptionBook book;
    private final int mostRows;

    PreemptionRoutes(PreemptionBook book, ApiSettings settings) {
        this.book = book;
        this.mostRows = settings.limits().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(
                                GET,
                                "/api/v1/preemptions",
                                VIEWER,
                                "Every decision to pause jobs for another, and every one declined, newest first: what was expected, what it cost and gained")
                        .with(FILTERS)
                        .with(
                                Parameter.number("limit", "rows of a page"),
                                Parameter.query("cursor", "the page after the one that named this as next"))
                        .fails(400)
                        .now(PreemptionPage.class, this::page),
                Endpoint.of(GET, "/api/v1/preemptions/summary", VIEWER, "The same in sums")
                        .with(FILTERS)
                        .with(Parameter.query("by", "day (UTC; the default), user, policy or queue"))
                        .fails(400)
                        .now(PreemptionSummary.class, this::summary));
    }

    private PreemptionPage page(Call call) {
        long before = call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        int rows = call.rows(ROWS, mostRows);
        List<Entry> found = book.entries(query(call)).stream()
                .filter(entry -> entry.number() < before)
                .limit(rows + 1L)
                .toList();
        List<Entry> shown = found.size() > rows ? found.subList(0, rows) : found;
        return new PreemptionPage(
                shown.stream()
                        .map(entry -> PreemptionViews.of(entry, call::mayKnow))
                        .toList(),
                found.size() > rows ? Long.toString(shown.get(rows - 1).number()) : null);
    }

    private PreemptionSummary summary(Call call) {
        Totals.By by = one("by", call.text("by", "day"), Totals.By.values());
        List<Entry> found = book.entries(query(call));
        return new PreemptionSummary(
                by.name().toLowerCase(Locale.ROOT),
                Totals.of(found, by).stream().map(PreemptionViews::totals).toList(),
                PreemptionViews.totals(Totals.of(found.stream())));
    }

    private static EntryQuery query(Call call) {
        return new EntryQuery(
                call.time("since", 0),
                call.time("until", Long.MAX_VALUE),
                call.text("user", ""),
                call.may(OPERATOR) ? "" : call.visitor().user(),
                call.number("job", -1, 0, Long.MAX_VALUE / 2),
                call.text("policy", ""),
                outcomes(call.text("outcome", "")));
    }

    private static Set<Outcome> outcomes(String text) {
        Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
        for (String word : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            outcomes.add(one("outcome", word.strip(), Outcome.values()));
        }
        return outcomes;
    }

    private static <E extends Enum<E>> E one(String what, String word, E[] known) {
        return Arrays.stream(known)
                .filter(e -> e.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> Refused.badRequest(what + " (" + Call.plain(word) + ") is unknown."
                        + Suggest.among(
                                Call.plain(word).toLowerCase(Locale.ROOT),
                                Arrays.stream(known)
                                        .map(e -> e.name().toLowerCase(Locale.ROOT))
                                        .toList())));
    }
}
