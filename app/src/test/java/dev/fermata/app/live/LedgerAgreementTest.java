package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.app.bench.PlayedEngine;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.api.ApiPorts;
import dev.fermata.live.api.ApiServer;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.Desk;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
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
 * A whole history with a clock turned by hand, on a real store, with conductors that are dropped on the way: every number that the
 * door, the command line and the report then tell is what the events say.
 */
class LedgerAgreementTest {
    private static final int JOBS = 60;
    private static final String OTHER = "bob";
    private static final int MOST_TURNS = 20_000;
    private static final ConductorSettings SETTINGS =
            ConductorSettings.DEFAULT.withGuard(GuardMode.FULL).withImageEveryLines(53);

    @TempDir
    Path folder;

    private Wishes wishes;
    private PlayedEngine engine;
    private SimulatedEngine cluster;
    private long now;

    /** @param stopAfter so many jobs have ended: what is then on its way has open entries */
    @ParameterizedTest
    @CsvSource({"fermata,1,7,1000,0,1", "srtf,5,11,1000,10,0", "xion,3,2147483647,45,0,1", "las,6,13,45,5,0"})
    void everyNumberIsWhatTheEventsSay(String policy, long seed, int killEvery, int stopAfter, int pauses, int declined)
            throws IOException, InterruptedException {
        wishes = new Wishes(seed, JOBS, SETTINGS.costs());
        cluster = new SimulatedEngine(wishes.topology, Faults.none(wishes.topology));
        engine = new PlayedEngine(wishes.topology, cluster);
        try (Store store = Stores.open("sqlite", folder)) {
            Desk desk = conduct(store, policy, killEvery, stopAfter);
            TokenBook tokens = new TokenBook(store.tokens(), System::currentTimeMillis);
            ApiPorts ports = new ApiPorts(
                    desk,
                    store,
                    tokens,
                    (job, attempt, stream, rank) -> Optional.empty(),
                    new Meters(),
                    new ApiPorts.About("test", "played", policy, List.of()),
                    () -> now);
            try (ApiServer server = ApiServer.start(ApiSettings.local(0), ports)) {
                String token = tokens.issue("root", Role.ADMIN, "", -1).token();
                Agreement agreement = new Agreement(server.url(), token, folder);
                List<HistoryReader.Entry> entries = agreement.history().entries();
                assertThat(entries.stream().filter(e -> !e.victims().isEmpty())).hasSizeGreaterThanOrEqualTo(pauses);
                assertThat(entries.stream().filter(e -> e.outcome().equals("DECLINED")))
                        .hasSizeGreaterThanOrEqualTo(declined);
                agreement.ofJobs();
                agreement.ofLedger();
                agreement.ofSums();
                agreement.ofMetrics();
                agreement.ofReport();
                for (String user : List.of(OTHER, "somebody-without-jobs")) {
                    String theirs = tokens.issue(user, Role.USER, "", -1).token();
                    Agreement.ofUser(server.url(), theirs, user, agreement.history());
                }
            }
        }
    }

    private Desk conduct(Store store, String policy, int killEvery, int stopAfter) throws InterruptedException {
        FactLines facts = new FactLines(wishes.topology);
        List<Actor> users = List.of(new Actor(Wishes.USER, "USER", ""), new Actor(OTHER, "USER", ""));
        Conductor conductor = lead(store, policy);
        int next = 0;
        int arrived = 0;
        int live = 0;
        int ended = 0;
        long wake = Plan.NEVER;
        long seen = 0;
        for (int turns = 1; (next < wishes.wishes.size() || live > 0) && ended < stopAfter; turns++) {
            assertThat(turns).isLessThan(MOST_TURNS);
            long arrival = next < wishes.wishes.size() ? wishes.wishes.get(next).atMillis() : Plan.NEVER;
            now = Math.max(now, Math.min(Math.min(arrival, cluster.nextMillis()), wake));
            if (turns % killEvery == 0) {
                conductor = lead(store, policy);
            }
            engine.play(now);
            List<CompletableFuture<List<Long>>> answers = new ArrayList<>();
            while (next < wishes.wishes.size() && wishes.wishes.get(next).atMillis() <= now) {
                Wishes.Wish wish = wishes.wishes.get(next++);
                for (int i = 0; i < wish.specs().size(); i++) {
                    cluster.arrive(wishes.jobs.get(arrived++));
                    live++;
                }
                answers.add(conductor.desk().submit(users.get(next % 2), wish.specs(), null));
            }
            wake = conductor.turn(now);
            answers.forEach(CompletableFuture::join);
            for (Line line : store.reader()
                    .lines(new LineQuery(seen, 0, -1, "", Set.of(), 5000))
                    .rows()) {
                seen = line.seq();
                Fact fact = facts.fact(line).orElseThrow();
                if (fact instanceof Fact.Ended
                        || fact instanceof Fact.Refused
                        || (fact instanceof Fact.Left left && left.next().isFinal())) {
                    cluster.forget(fact.jobId());
                    live--;
                    ended++;
                }
            }
        }
        return conductor.desk();
    }

    private Conductor lead(Store store, String policy) {
        Conductor conductor = new Conductor(
                store, engine, PolicySpec.parse(policy), SETTINGS, false, new SteadyClock(), new Meters());
        assertThat(conductor.lead()).isTrue();
        return conductor;
    }
}
