package dev.fermata.live.ledger;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.measure.Declined;
import dev.fermata.core.measure.Preemption;
import dev.fermata.core.measure.PreemptionLedger;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.json.RecordJson;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.ledger.Entry.Outcome;
import dev.fermata.live.ledger.Entry.Party;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import dev.fermata.live.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The preemption ledger of a history. It has no truth of its own: whenever it is asked, it first reads the lines that it has not read
 * yet and hands them to {@link PreemptionLedger}, so that no restart can change what it says. Nothing of it is on the conductor's thread.
 */
public final class PreemptionBook {
    private static final Logger LOG = LoggerFactory.getLogger(PreemptionBook.class);

    /** What a pause can be followed by. {@code Paced} and the like tell nothing about it. */
    private static final Set<String> KINDS = Set.of(
            "Submitted",
            "Changed",
            "Started",
            "Running",
            "Pausing",
            "Promised",
            "Unpromised",
            "Refrained",
            "Left",
            "Ended");

    private static final Pattern POLICY = Pattern.compile("\"policy\":\"([^\"\\\\]*)\"");

    private static final Set<String> DESCRIBING = Set.of("Submitted", "Changed");
    private static final String BACK_IN_THE_QUEUE = "\"next\":\"PENDING\"";
    private static final String MEASURED = "\"measured\":";

    /** The part of a line that tells what an attempt showed. */
    private record Shown(Measured measured) {}

    private final RecordJson json = new RecordJson();
    private final Store.Reader reader;
    private final FactLines facts;
    private final PreemptionLedger ledger = new PreemptionLedger(this::closed, this::over);
    private final NavigableMap<Long, Entry> done = new TreeMap<>();
    /** The lines of jobs that have not ended and that no entry tells of, unread. */
    private final Map<Long, List<Line>> early = new HashMap<>();
    /** Who the jobs are that some entry tells of. */
    private final Map<Long, Party> concerned = new HashMap<>();
    /** What attempts of jobs showed that were paused: by job and attempt. */
    private final Map<Long, Map<Integer, Measured>> shown = new HashMap<>();

    /** From which line on which policy decided. */
    private final NavigableMap<Long, String> policies = new TreeMap<>(Map.of(0L, ""));

    private long seen;

    public PreemptionBook(Store.Reader reader, Topology topology) {
        this.reader = reader;
        this.facts = new FactLines(topology);
    }

    /** Reads what there is, so that whoever asks first need not wait. What goes wrong is left to whoever asks. */
    public void readAhead() {
        Thread thread = new Thread(
                () -> {
                    try {
                        catchUp();
                    } catch (RuntimeException e) {
                        LOG.debug("the preemption ledger could not be read yet: {}", e.getMessage());
                    }
                },
                "fermata-ledger");
        thread.setDaemon(true);
        thread.start();
    }

    /** The entries that are like that, newest first. */
    public synchronized List<Entry> entries(EntryQuery query) {
        NavigableMap<Long, Entry> found = new TreeMap<>();
        all().filter(query::takes).forEach(entry -> found.put(entry.number(), entry));
        return List.copyOf(found.descendingMap().values());
    }

    /** The sum of all entries. */
    public synchronized Totals totals() {
        return Totals.of(all());
    }

    private Stream<Entry> all() {
        catchUp();
        Stream<Entry> open = Stream.concat(
                ledger.open().stream().map(this::entry),
                ledger.declined().stream().map(this::entry));
        return Stream.concat(done.values().stream(), open);
    }

    private synchronized void catchUp() {
        Page<Line> page;
        do {
            page = reader.lines(new LineQuery(seen, 0, -1, "", KINDS, Page.MOST));
            for (Line line : page.rows()) {
                take(line);
                seen = line.seq();
            }
        } while (page.more());
    }

    private void take(Line line) {
        boolean decision = line.kind().equals("Pausing") || line.kind().equals("Refrained");
        if (decision) {
            concern(line.jobId());
            note(line.seq(), policy(line));
        }
        if (decision || concerned.containsKey(line.jobId())) {
            accept(line);
        } else {
            keep(line);
        }
    }

    private void accept(Line line) {
        Fact fact = facts.fact(line).orElseThrow();
        if (fact instanceof Fact.Submitted f) {
            concerned.put(f.jobId(), party(f.job()));
        } else if (fact instanceof Fact.Changed f) {
            concerned.put(f.jobId(), party(f.job()));
        } else if (fact instanceof Fact.Pausing f) {
            concern(f.beneficiary());
        } else if (fact instanceof Fact.Left f && line.body().contains(MEASURED)) {
            shown.computeIfAbsent(f.jobId(), job -> new HashMap<>()).put(f.attempt(), measured(line));
        }
        ledger.accept(line.seq(), line.atMillis(), fact);
    }

    /** Most jobs are never paused, nor others for them: of these lines are only looked at from outside, which is much faster. */
    private void keep(Line line) {
        switch (line.kind()) {
            case "Submitted" -> early.put(line.jobId(), new ArrayList<>(List.of(line)));
            case "Ended" -> early.remove(line.jobId());
            case "Left" -> {
                if (line.body().contains(BACK_IN_THE_QUEUE)) {
                    lines(line.jobId()).removeIf(before -> !DESCRIBING.contains(before.kind()));
                } else {
                    early.remove(line.jobId());
                }
            }
            case "Promised", "Unpromised" -> {} // without victims they are no part of any decision
            default -> lines(line.jobId()).add(line);
        }
    }

    private List<Line> lines(long job) {
        return early.getOrDefault(job, new ArrayList<>());
    }

    /** From now on the job belongs to the ledger; what was kept of it is read now. */
    private void concern(long job) {
        List<Line> before = early.remove(job);
        if (before != null) {
            before.forEach(this::accept);
        }
    }

    private void note(long seq, String policy) {
        if (!policyAt(seq).equals(policy)) {
            policies.put(seq, policy);
        }
    }

    private String policyAt(long seq) {
        return policies.floorEntry(seq).getValue();
    }

    private static Party party(Job job) {
        return new Party(
                job.id(), job.name(), job.user(), job.queue(), job.demand().maxGpus());
    }

    private Measured measured(Line line) {
        return json.read(line.body(), Shown.class).measured();
    }

    private static String policy(Line line) {
        Matcher said = POLICY.matcher(line.body());
        return said.find() ? said.group(1) : "";
    }

    private void closed(Preemption preemption) {
        done.put(preemption.number(), entry(preemption));
    }

    private void over(Declined declined) {
        done.put(declined.number(), entry(declined));
    }

    private Entry entry(Preemption p) {
        List<Party> victims = new ArrayList<>();
        List<Measured> reloads = new ArrayList<>();
        for (Preemption.Victim victim : p.victims()) {
            victims.add(who(victim.id(), victim.name(), victim.gpus()));
            reloads.add(shown.getOrDefault(victim.id(), Map.of()).getOrDefault(victim.attempt() + 1, Measured.NOTHING));
        }
        return new Entry(
                p.number(),
                p.atMillis(),
                policyAt(p.number()),
                Outcome.valueOf(p.balance().name()),
                who(p.beneficiary(), p.beneficiaryName(), p.beneficiaryGpus()),
                victims,
                reloads,
                p,
                null);
    }

    private Entry entry(Declined d) {
        return new Entry(
                d.number(),
                d.atMillis(),
                policyAt(d.number()),
                Outcome.DECLINED,
                who(d.job(), d.name(), d.gpus()),
                List.of(),
                List.of(),
                null,
                d);
    }

    private Party who(long job, String name, int gpus) {
        Party party = concerned.get(job);
        return new Party(job, name, party == null ? "" : party.user(), party == null ? "" : party.queue(), gpus);
    }
}
