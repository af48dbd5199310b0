package dev.fermata.bench.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.bench.virtual.VirtualTimeEngine;
import dev.fermata.cli.agreement.ApiAgreementChecker;
import dev.fermata.cli.agreement.HistoryReader;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.api.ApiPorts;
import dev.fermata.live.api.ApiServer;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A whole history with a clock set by the test, on a real store, with the scheduler loop restarted on the way: every number of the
 * API, the command line and the report agrees with the events.
 */
class PreemptionLogAgreementTest {
    private static final int JOBS = 60;
    private static final String OTHER = "bob";
    private static final int MAX_CYCLES = 20_000;
    private static final LoopSettings SETTINGS =
            LoopSettings.DEFAULT.withGuard(GuardMode.FULL).withSnapshotEveryEntries(53);

    @TempDir
    Path folder;

    private RandomSubmissions submissions;
    private VirtualTimeEngine engine;
    private SimulatedEngine cluster;
    private long now;

    /** @param stopAfter so many jobs have ended: what is then on its way has open entries */
    @ParameterizedTest
    @CsvSource({"fermata,1,7,1000,0,1", "srtf,5,11,1000,10,0", "xion,3,2147483647,45,0,1", "las,6,13,45,5,0"})
    void everyNumberMatchesTheEvents(String policy, long seed, int killEvery, int stopAfter, int pauses, int declined)
            throws IOException, InterruptedException {
        submissions = new RandomSubmissions(seed, JOBS, SETTINGS.assumedCosts());
        cluster = new SimulatedEngine(submissions.topology, Faults.none(submissions.topology));
        engine = new VirtualTimeEngine(submissions.topology, cluster);
        try (Store store = StoreFactory.open("sqlite", folder)) {
            SchedulerService service = runLive(store, policy, killEvery, stopAfter);
            TokenService tokens = new TokenService(store.tokens(), System::currentTimeMillis);
            ApiPorts ports = new ApiPorts(
                    service,
                    store,
                    tokens,
                    (job, attempt, stream, rank) -> Optional.empty(),
                    ReportInbox.NONE,
                    new DaemonMetrics(),
                    new ApiPorts.DaemonInfo("test", "played", policy, List.of()),
                    () -> now);
            try (ApiServer server = ApiServer.start(ApiSettings.local(0), ports)) {
                String token = tokens.issue("root", Role.ADMIN, "", -1).token();
                ApiAgreementChecker agreement = new ApiAgreementChecker(server.url(), token, folder);
                List<HistoryReader.PreemptionEntry> entries =
                        agreement.history().entries();
                assertThat(entries.stream().filter(e -> !e.victims().isEmpty())).hasSizeGreaterThanOrEqualTo(pauses);
                assertThat(entries.stream().filter(e -> e.outcome().equals("DECLINED")))
                        .hasSizeGreaterThanOrEqualTo(declined);
                agreement.checkJobs();
                agreement.checkPreemptionLog();
                agreement.checkTotals();
                agreement.checkMetrics();
                agreement.checkReport();
                for (String user : List.of(OTHER, "user-without-jobs")) {
                    String theirs = tokens.issue(user, Role.USER, "", -1).token();
                    ApiAgreementChecker.checkUser(server.url(), theirs, user, agreement.history());
                }
            }
        }
    }

    private SchedulerService runLive(Store store, String policy, int killEvery, int stopAfter)
            throws InterruptedException {
        HistoryCodec codec = new HistoryCodec(submissions.topology);
        List<Actor> users = List.of(new Actor(RandomSubmissions.USER, "USER", ""), new Actor(OTHER, "USER", ""));
        SchedulerLoop loop = startLeading(store, policy);
        int next = 0;
        int arrived = 0;
        int live = 0;
        int ended = 0;
        long wake = Plan.NEVER;
        long seen = 0;
        for (int cycles = 1; (next < submissions.submissions.size() || live > 0) && ended < stopAfter; cycles++) {
            assertThat(cycles).isLessThan(MAX_CYCLES);
            long arrival = next < submissions.submissions.size()
                    ? submissions.submissions.get(next).atMillis()
                    : Plan.NEVER;
            now = Math.max(now, Math.min(Math.min(arrival, cluster.nextMillis()), wake));
            if (cycles % killEvery == 0) {
                loop = startLeading(store, policy);
            }
            engine.advanceTo(now);
            List<CompletableFuture<List<Long>>> answers = new ArrayList<>();
            while (next < submissions.submissions.size()
                    && submissions.submissions.get(next).atMillis() <= now) {
                RandomSubmissions.Submission submission = submissions.submissions.get(next++);
                for (int i = 0; i < submission.specs().size(); i++) {
                    cluster.addJob(submissions.jobs.get(arrived++));
                    live++;
                }
                answers.add(new DefaultSchedulerService(loop).submit(users.get(next % 2), submission.specs(), null));
            }
            wake = loop.runCycle(now);
            answers.forEach(CompletableFuture::join);
            for (HistoryEntry line : store.reader()
                    .history(new HistoryQuery(seen, 0, -1, "", Set.of(), 5000))
                    .rows()) {
                seen = line.seq();
                HistoryRecord entry = codec.decode(line).orElseThrow();
                if (entry.finalState() != null) {
                    cluster.removeJob(entry.jobId());
                    live--;
                    ended++;
                }
            }
        }
        return new DefaultSchedulerService(loop);
    }

    private SchedulerLoop startLeading(Store store, String policy) {
        SchedulerLoop loop = new SchedulerLoop(
                store, engine, PolicySpec.parse(policy), SETTINGS, false, new MonotonicClock(), new DaemonMetrics());
        assertThat(loop.lead()).isTrue();
        return loop;
    }
}
