package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.DELETE;
import static dev.fermata.live.api.Endpoint.Verb.GET;
import static dev.fermata.live.api.Endpoint.Verb.PUT;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.policy.Suggest;
import dev.fermata.live.api.view.ProfilePage;
import dev.fermata.live.api.view.ProfileView;
import dev.fermata.live.api.view.ProfilesRequest;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.MemoryPromise;
import dev.fermata.live.learn.PairBook;
import dev.fermata.live.learn.Spread;
import dev.fermata.live.spec.StoredSpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** What was learned of kinds of jobs, and what people say instead. */
final class ProfileRoutes {
    private static final long NONE = -1;
    private static final int MOST_KINDS = 5_000;
    private static final int LONGEST_COMMAND = 4096;

    private final ApiPorts ports;

    ProfileRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/profiles", VIEWER, "What was learned of each kind of job")
                        .with(Endpoint.Parameter.number("job", "only of the command and model that this job runs"))
                        .fails(400, 404, 503)
                        .later(
                                200,
                                ProfilePage.class,
                                call -> ports.desk()
                                        .profiles()
                                        .thenCombine(
                                                ports.desk().pairs(),
                                                (all, pairs) -> Reply.json(200, page(all, pairs, call)))),
                Endpoint.of(PUT, "/api/v1/profiles", OPERATOR, "Says what counts of some kinds before all measurements")
                        .takes(ProfilesRequest.class)
                        .audits("profiles", "")
                        .fails(400, 503)
                        .done(call ->
                                ports.desk().retell(call.actor(), "profiles", said(call.body(ProfilesRequest.class)))),
                Endpoint.of(DELETE, "/api/v1/profiles/{id}", OPERATOR, "Forgets all that is known of a kind of job")
                        .audits("forget", "profile {id}")
                        .fails(404, 503)
                        .done(this::forget));
    }

    private ProfilePage page(Map<Kind, KindNotes> all, PairBook pairs, Call call) {
        long job = call.number("job", NONE, 0, Long.MAX_VALUE);
        Kind family = job == NONE ? null : family(job);
        return new ProfilePage(all.entrySet().stream()
                .filter(entry -> family == null || entry.getKey().anywhere().equals(family))
                .sorted(Comparator.comparing((Map.Entry<Kind, KindNotes> entry) ->
                                entry.getKey().label())
                        .thenComparing(entry -> entry.getKey().gpuType())
                        .thenComparing(entry -> entry.getKey().gpus()))
                .map(entry -> view(entry.getKey(), entry.getValue(), pairs))
                .toList());
    }

    private Kind family(long job) {
        return ports.reader()
                .job(job)
                .map(row -> Kind.of(StoredSpec.read(row.spec()), "", 0))
                .orElseThrow(() -> Refused.notFound("there is no job " + job));
    }

    private ProfileView view(Kind kind, KindNotes notes, PairBook pairs) {
        int whole = ports.desk().topology().types().stream()
                .filter(type -> type.name().equals(kind.gpuType()))
                .mapToInt(GpuType::memoryMib)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
        return new ProfileView(
                kind.id(),
                kind.command(),
                kind.model(),
                kind.gpuType(),
                kind.gpus(),
                MemoryPromise.mib(0, notes, whole),
                Arrays.stream(Figure.values())
                        .filter(notes::knows)
                        .map(figure -> value(figure, notes))
                        .toList(),
                pairs.speeds(kind).entrySet().stream()
                        .map(pair -> new ProfileView.Beside(
                                pair.getKey(),
                                pair.getValue().p50() / 1000.0,
                                pair.getValue().count()))
                        .toList());
    }

    private static ProfileView.Value value(Figure figure, KindNotes notes) {
        Spread spread = notes.spread(figure);
        boolean ofMemory = figure == Figure.PEAK_MEMORY_MIB || figure == Figure.FAILED_MEMORY_MIB;
        boolean said = notes.said().containsKey(figure);
        return new ProfileView.Value(
                figure.key(),
                ofMemory && !said ? notes.most(figure) : notes.value(figure),
                said ? "said" : "measured",
                spread.count(),
                spread.p50(),
                spread.p90(),
                Math.max(0, notes.most(figure)));
    }

    private CompletableFuture<Void> forget(Call call) {
        String id = call.path("id");
        return ports.desk().profiles().thenCompose(all -> {
            Kind kind = all.keySet().stream()
                    .filter(known -> known.id().equals(id))
                    .findFirst()
                    .orElseThrow(() -> Refused.notFound("there is no profile '" + Call.plain(id) + "'"));
            return ports.desk().retell(call.actor(), "forget", Map.of(kind, notes -> KindNotes.NONE));
        });
    }

    private static Map<Kind, UnaryOperator<KindNotes>> said(ProfilesRequest request) {
        if (request.profiles() == null || request.profiles().size() > MOST_KINDS) {
            throw Refused.badRequest("profiles must be a list of at most " + MOST_KINDS + " kinds of jobs");
        }
        Map<Kind, UnaryOperator<KindNotes>> changes = new LinkedHashMap<>();
        for (ProfilesRequest.Entry entry : request.profiles()) {
            Map<Figure, Long> values = values(entry);
            changes.put(kind(entry), notes -> notes.saying(values));
        }
        return changes;
    }

    private static Kind kind(ProfilesRequest.Entry entry) {
        boolean whole = entry.command() != null
                && !entry.command().isBlank()
                && entry.command().length() <= LONGEST_COMMAND
                && entry.gpuType() != null
                && !entry.gpuType().isBlank()
                && entry.gpus() != null
                && entry.gpus() > 0;
        if (!whole) {
            throw Refused.badRequest("a profile needs a command, a gpuType and gpus of 1 or more");
        }
        return new Kind(entry.command(), entry.model() == null ? "" : entry.model(), entry.gpuType(), entry.gpus());
    }

    private static Map<Figure, Long> values(ProfilesRequest.Entry entry) {
        Map<Figure, Long> values = new EnumMap<>(Figure.class);
        (entry.values() == null ? Map.<String, Long>of() : entry.values()).forEach((name, value) -> {
            Figure figure = Arrays.stream(Figure.values())
                    .filter(known -> known.key().equals(name))
                    .findAny()
                    .orElseThrow(() -> Refused.badRequest("values (" + Call.plain(name) + ") is no figure of a profile."
                            + Suggest.among(
                                    Call.plain(name),
                                    Arrays.stream(Figure.values())
                                            .map(Figure::key)
                                            .toList())));
            if (value == null || value < 0 || value > figure.most()) {
                throw Refused.badRequest("values (" + name + ") must be a whole number from 0 to " + figure.most());
            }
            values.put(figure, value);
        });
        return values;
    }
}
