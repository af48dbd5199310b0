package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.DELETE;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static dev.fermata.live.api.Endpoint.HttpVerb.PUT;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.history.SampleSummary;
import dev.fermata.live.api.view.ProfilePage;
import dev.fermata.live.api.view.ProfileView;
import dev.fermata.live.api.view.ProfilesRequest;
import dev.fermata.live.profile.CoRunStore;
import dev.fermata.live.profile.MemorySizing;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.spec.PlainText;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Routes of job profiles, learned and declared. */
final class ProfileRoutes {
    private static final long NONE = -1;
    private static final int MAX_PROFILES = 5_000;
    /** A key of the store; PostgreSQL indexes at most 2,704 bytes. */
    private static final int MAX_KEY_BYTES = 2000;

    private static final int OWN_JOBS = 100;

    private final ApiPorts ports;

    ProfileRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(
                                GET,
                                "/api/v1/profiles",
                                VIEWER,
                                "Job profiles, as learned; users see those of their own programs")
                        .parameters(Endpoint.EndpointParameter.number(
                                "job", "only profiles of the command and model of this job"))
                        .errors(400, 404, 503)
                        .respondAsync(200, ProfilePage.class, this::list),
                Endpoint.of(PUT, "/api/v1/profiles", OPERATOR, "Declares values of profiles that override measurements")
                        .requestBody(ProfilesRequest.class)
                        .audit("profiles", "")
                        .errors(400, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .updateProfiles(
                                        call.actor(), "profiles", declaredProfiles(call.body(ProfilesRequest.class)))),
                Endpoint.of(DELETE, "/api/v1/profiles/{id}", OPERATOR, "Deletes a job profile")
                        .audit("forget", "profile {id}")
                        .errors(404, 503)
                        .respondEmpty(this::forget));
    }

    private CompletableFuture<Reply> list(ApiCall call) {
        long job = call.number("job", NONE, 0, Long.MAX_VALUE / 2);
        ProfileKey jobKey = job == NONE ? null : keyOfJob(call, job);
        Predicate<ProfileKey> visible = visible(call, jobKey);
        return ports.scheduler()
                .profiles()
                .thenCombine(
                        ports.scheduler().coRuns(),
                        (all, coRuns) -> Reply.json(200, page(all, coRuns, jobKey, visible)));
    }

    /** Commands are their users' own: others than operators see the profiles of programs that they have run recently. */
    private Predicate<ProfileKey> visible(ApiCall call, @Nullable ProfileKey jobKey) {
        if (call.hasRole(OPERATOR) || jobKey != null) {
            return key -> true;
        }
        JobQuery own =
                new JobQuery(EnumSet.allOf(JobState.class), call.caller().user(), "", "", -1, Long.MAX_VALUE, OWN_JOBS);
        Set<ProfileKey> programs = new HashSet<>();
        for (JobRow row : ports.reader().jobs(own).rows()) {
            ports.reader().job(row.id()).ifPresent(job -> programs.add(programOf(job)));
        }
        return key -> programs.contains(key.programKey());
    }

    private static ProfileKey programOf(JobRow row) {
        return ProfileKey.of(SpecJson.read(row.spec()), "", 0).programKey();
    }

    private ProfilePage page(
            Map<ProfileKey, ProfileSamples> all,
            CoRunStore coRuns,
            @Nullable ProfileKey jobKey,
            Predicate<ProfileKey> visible) {
        return new ProfilePage(all.entrySet().stream()
                .filter(entry -> jobKey == null || entry.getKey().programKey().equals(jobKey))
                .filter(entry -> visible.test(entry.getKey()))
                .sorted(Comparator.comparing((Map.Entry<ProfileKey, ProfileSamples> entry) ->
                                entry.getKey().label())
                        .thenComparing(entry -> entry.getKey().gpuType())
                        .thenComparing(entry -> entry.getKey().gpus()))
                .map(entry -> view(entry.getKey(), entry.getValue(), coRuns))
                .toList());
    }

    private ProfileKey keyOfJob(ApiCall call, long job) {
        return ports.reader()
                .job(job)
                .filter(row -> call.canSee(row.user()))
                .map(row -> ProfileKey.of(SpecJson.read(row.spec()), "", 0))
                .orElseThrow(() -> ApiProblemException.notFound("there is no job " + job));
    }

    private ProfileView view(ProfileKey profileKey, ProfileSamples samples, CoRunStore coRuns) {
        int whole = ports.scheduler().topology().types().stream()
                .filter(type -> type.name().equals(profileKey.gpuType()))
                .mapToInt(GpuType::memoryMib)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
        return new ProfileView(
                profileKey.id(),
                profileKey.command(),
                profileKey.model(),
                profileKey.gpuType(),
                profileKey.gpus(),
                MemorySizing.reservationMib(0, samples, whole),
                Arrays.stream(ProfileMetric.values())
                        .filter(samples::has)
                        .map(metric -> metricView(metric, samples))
                        .toList(),
                coRuns.speeds(profileKey).entrySet().stream()
                        .map(coRun -> new ProfileView.CoRunView(
                                coRun.getKey(),
                                coRun.getValue().p50() / 1000.0,
                                coRun.getValue().count()))
                        .toList());
    }

    private static ProfileView.ProfileMetricView metricView(ProfileMetric metric, ProfileSamples samples) {
        SampleSummary spread = samples.summary(metric);
        boolean ofMemory = metric == ProfileMetric.PEAK_MEMORY_MIB || metric == ProfileMetric.FAILED_MEMORY_MIB;
        boolean reported = samples.overrides().containsKey(metric);
        return new ProfileView.ProfileMetricView(
                metric.key(),
                ofMemory && !reported ? samples.max(metric) : samples.value(metric),
                reported ? "declared" : "measured",
                spread.count(),
                spread.p50(),
                spread.p90(),
                Math.max(0, samples.max(metric)));
    }

    private CompletableFuture<Void> forget(ApiCall call) {
        String id = call.path("id");
        return ports.scheduler().profiles().thenCompose(all -> {
            ProfileKey profileKey = all.keySet().stream()
                    .filter(known -> known.id().equals(id))
                    .findFirst()
                    .orElseThrow(
                            () -> ApiProblemException.notFound("there is no profile '" + ApiCall.sanitize(id) + "'"));
            return ports.scheduler()
                    .updateProfiles(call.actor(), "forget", Map.of(profileKey, samples -> ProfileSamples.NONE));
        });
    }

    private static Map<ProfileKey, UnaryOperator<ProfileSamples>> declaredProfiles(ProfilesRequest request) {
        if (request.profiles() == null || request.profiles().size() > MAX_PROFILES) {
            throw ApiProblemException.badRequest("profiles must be a list of at most " + MAX_PROFILES + " profiles");
        }
        Map<ProfileKey, UnaryOperator<ProfileSamples>> changes = new LinkedHashMap<>();
        for (ProfilesRequest.ProfileRequest entry : request.profiles()) {
            Map<ProfileMetric, Long> values = values(entry);
            changes.put(profileKey(entry), samples -> samples.withOverrides(values));
        }
        return changes;
    }

    private static ProfileKey profileKey(ProfilesRequest.ProfileRequest entry) {
        boolean whole = entry.command() != null
                && !entry.command().isBlank()
                && entry.gpuType() != null
                && !entry.gpuType().isBlank()
                && entry.gpus() != null
                && entry.gpus() > 0;
        if (!whole) {
            throw ApiProblemException.badRequest("a profile needs a command, a gpuType and gpus of 1 or more");
        }
        String key = entry.command() + entry.gpuType() + (entry.model() == null ? "" : entry.model());
        if (key.getBytes(UTF_8).length > MAX_KEY_BYTES || !PlainText.isPlain(key)) {
            throw ApiProblemException.badRequest("command, model and gpuType of a profile must have at most "
                    + MAX_KEY_BYTES + " bytes together and no control characters");
        }
        return new ProfileKey(
                entry.command(), entry.model() == null ? "" : entry.model(), entry.gpuType(), entry.gpus());
    }

    private static Map<ProfileMetric, Long> values(ProfilesRequest.ProfileRequest entry) {
        Map<ProfileMetric, Long> values = new EnumMap<>(ProfileMetric.class);
        (entry.values() == null ? Map.<String, Long>of() : entry.values()).forEach((name, value) -> {
            ProfileMetric metric = Arrays.stream(ProfileMetric.values())
                    .filter(known -> known.key().equals(name))
                    .findAny()
                    .orElseThrow(() -> ApiProblemException.badRequest(
                            "values (" + ApiCall.sanitize(name) + ") is not a value of a profile."
                                    + Suggestion.didYouMean(
                                            ApiCall.sanitize(name),
                                            Arrays.stream(ProfileMetric.values())
                                                    .map(ProfileMetric::key)
                                                    .toList())));
            if (value == null || value < 0 || value > metric.max()) {
                throw ApiProblemException.badRequest(
                        "values (" + name + ") must be a whole number from 0 to " + metric.max());
            }
            values.put(metric, value);
        });
        return values;
    }
}
