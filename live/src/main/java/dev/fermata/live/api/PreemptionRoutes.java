package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.PreemptionPage;
import dev.fermata.live.api.view.PreemptionSummaryView;
import dev.fermata.live.preemptions.PreemptionLogEntry;
import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import dev.fermata.live.preemptions.PreemptionLogQuery;
import dev.fermata.live.preemptions.PreemptionLogReader;
import dev.fermata.live.preemptions.PreemptionSums;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Routes of the preemption log: entries or sums. Users see entries about their own jobs, operators all. */
final class PreemptionRoutes {
    private static final int DEFAULT_ROWS = 100;
    private static final List<EndpointParameter> FILTERS = List.of(
            EndpointParameter.query("since", "only decisions from this time on (RFC 3339)"),
            EndpointParameter.query("until", "only decisions before this time (RFC 3339)"),
            EndpointParameter.query("user", "only decisions about jobs of this user"),
            EndpointParameter.number("job", "only decisions about this job"),
            EndpointParameter.query("policy", "only decisions of this policy"),
            EndpointParameter.query("outcome", "outcomes, separated by commas: open, paid, not_paid, moved, declined"));

    private final PreemptionLogReader preemptionLog;
    private final int maxRows;

    PreemptionRoutes(PreemptionLogReader preemptionLog, ApiSettings settings) {
        this.preemptionLog = preemptionLog;
        this.maxRows = settings.limits().size().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(
                                GET,
                                "/api/v1/preemptions",
                                VIEWER,
                                "Every decision to pause jobs for another, and every declined one, newest first, with expected and actual gain and cost")
                        .parameters(FILTERS)
                        .parameters(
                                EndpointParameter.number("limit", "rows of a page"),
                                EndpointParameter.query(
                                        "cursor", "the next page; the value of next in the page before"))
                        .errors(400)
                        .respondNow(PreemptionPage.class, this::page),
                Endpoint.of(GET, "/api/v1/preemptions/summary", VIEWER, "Sums over the preemption log")
                        .parameters(FILTERS)
                        .parameters(EndpointParameter.query("by", "day (UTC; the default), user, policy or queue"))
                        .errors(400)
                        .respondNow(PreemptionSummaryView.class, this::summary));
    }

    private PreemptionPage page(ApiCall call) {
        long before = call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE);
        int rows = call.pageSize(DEFAULT_ROWS, maxRows);
        List<PreemptionLogEntry> found = preemptionLog.entries(query(call)).stream()
                .filter(entry -> entry.number() < before)
                .limit(rows + 1L)
                .toList();
        List<PreemptionLogEntry> shown = found.size() > rows ? found.subList(0, rows) : found;
        return new PreemptionPage(
                shown.stream()
                        .map(entry -> PreemptionViews.of(entry, call::canSee))
                        .toList(),
                found.size() > rows ? Long.toString(shown.get(rows - 1).number()) : null);
    }

    private PreemptionSummaryView summary(ApiCall call) {
        PreemptionSums.GroupBy by = parseEnum("by", call.text("by", "day"), PreemptionSums.GroupBy.values());
        List<PreemptionLogEntry> found = preemptionLog.entries(query(call));
        return new PreemptionSummaryView(
                by.name().toLowerCase(Locale.ROOT),
                PreemptionSums.of(found, by).stream()
                        .map(PreemptionViews::totals)
                        .toList(),
                PreemptionViews.totals(PreemptionSums.of(found.stream())));
    }

    private static PreemptionLogQuery query(ApiCall call) {
        return new PreemptionLogQuery(
                call.time("since", 0),
                call.time("until", Long.MAX_VALUE),
                call.text("user", ""),
                call.hasRole(OPERATOR) ? "" : call.caller().user(),
                call.number("job", -1, 0, Long.MAX_VALUE / 2),
                call.text("policy", ""),
                outcomes(call.text("outcome", "")));
    }

    private static Set<DecisionOutcome> outcomes(String text) {
        Set<DecisionOutcome> outcomes = EnumSet.noneOf(DecisionOutcome.class);
        for (String word : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            outcomes.add(parseEnum("outcome", word.strip(), DecisionOutcome.values()));
        }
        return outcomes;
    }

    private static <E extends Enum<E>> E parseEnum(String what, String word, E[] known) {
        return Arrays.stream(known)
                .filter(e -> e.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> ApiProblemException.badRequest(what + " (" + ApiCall.sanitize(word) + ") is unknown."
                        + Suggestion.didYouMean(
                                ApiCall.sanitize(word).toLowerCase(Locale.ROOT),
                                Arrays.stream(known)
                                        .map(e -> e.name().toLowerCase(Locale.ROOT))
                                        .toList())));
    }
}
