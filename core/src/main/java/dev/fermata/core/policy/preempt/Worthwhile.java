package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Xion's rule: jobs are paused for a more deserving one only when that gains more than it costs (see {@link Worth}). The
 * victims are a minimal set of those who rank after it, the least deserving first. A job that is still loading is never
 * asked to leave, nor one that would end before it could be saved and loaded again.
 *
 * <p>With a weight for trial jobs, FitGpp's wish is added: somebody watches a trial, so its waiting counts that many times,
 * and it is given the place of the one whose leaving takes least time and wastes least, where one is enough.
 *
 * <p>Go et al., "Selective Preemption of Distributed Deep Learning Training", IEEE CLOUD 2023. The paper's abstract gives
 * the principle; the inequality is ours. Costs what {@link Outrank} costs; for a trial O(running jobs of a type).
 */
public final class Worthwhile implements Preemption {
    /** How many jobs beside newcomer and victims will feel it when GPU-time is lost to saving and loading. */
    public interface Behind {
        double jobs(View view, Book book, JobView newcomer);
    }

    /** Every victim is delayed by the newcomer's whole run, so many of them never pay: the search ends early. */
    private static final int EXTRA_VICTIMS = 16;

    /** How many of the cheapest victims are tried in place before the general search. */
    private static final int TRIED = 64;

    private final Order order;
    private final Behind behind;
    private final double margin;
    private final double trialWeight;

    /**
     * @param order says who is more deserving, and how much work jobs still have
     * @param margin the gain must exceed the cost by this share of it
     * @param trialWeight how many times a trial's waiting counts; 1 treats trials like all others
     */
    public Worthwhile(Order order, Behind behind, double margin, double trialWeight) {
        this.order = order;
        this.behind = behind;
        this.margin = margin;
        this.trialWeight = trialWeight;
    }

    @Override
    public Answer makeRoom(View view, Book book, Entry waiting, Placement placement, Set<Entry> spared) {
        Answer answer = NOBODY;
        int mark = view.draft().mark();
        for (int type : waiting.job().typesByPreference()) {
            VictimSearch search = new VictimSearch(
                            view,
                            book,
                            waiting,
                            type,
                            placement,
                            v -> !spared.contains(v) && outlastsItsPause(view, v.job()))
                    .atMost(waiting.job().job().demand().minGpus() + EXTRA_VICTIMS);
            if (!search.hopeful()) {
                continue;
            }
            Worth declined = cheapest(view, book, waiting, search);
            if (search.found() || search.run()) {
                Worth worth = worth(view, book, waiting, search);
                if (search.victims().isEmpty() || pays(worth)) {
                    return new Room(action(waiting, search, worth), search.victims());
                }
                view.draft().rollback(mark);
                answer = new NotWorthIt(search.victims().size(), worth.gainMillis(), worth.costMillis());
            } else if (declined != null) {
                answer = new NotWorthIt(1, declined.gainMillis(), declined.costMillis());
            }
        }
        return answer;
    }

    /** A trial's waiting counts many times, and so does that of a job so overdue that nobody may overtake it. */
    private double weight(Entry entry) {
        boolean urgent = entry.job().job().jobClass() == JobClass.TRIAL || order.holdsBack(entry.rank());
        return urgent ? trialWeight : 1;
    }

    private boolean pays(Worth worth) {
        return worth.gainMillis() > worth.costMillis() * (1 + margin);
    }

    /**
     * For a trial, finds the one victim whose leaving delays and wastes least, if one is enough, of those whose leaving pays. Answers
     * what the first was worth that did not, or null.
     */
    private @Nullable Worth cheapest(View view, Book book, Entry waiting, VictimSearch search) {
        double weight = weight(waiting);
        int need = waiting.job().job().demand().minGpus();
        if (weight <= 1) {
            return null;
        }
        double perGpu = behind.jobs(view, book, waiting.job()) / view.topology().gpuCount();
        PriorityQueue<Priced> kept = new PriorityQueue<>(TRIED, Priced.CHEAPEST.reversed());
        search.forEachOutranked(candidate -> {
            JobView job = candidate.job();
            if (job.gpus() >= need) {
                double lost = Worth.overheadMillis(view, job);
                double price = weight * Worth.pauseMillis(job) + lost * (weight(candidate) + perGpu * job.gpus());
                keep(
                        new Priced(candidate, price),
                        kept,
                        asked -> search.mayLeave(asked) && view.mayPause(asked.job(), waiting.job()));
            }
        });
        List<Priced> priced = new ArrayList<>(kept);
        priced.sort(Priced.CHEAPEST);
        Worth declined = null;
        for (Priced next : priced) {
            if (search.runWith(next.entry)) {
                Worth worth = worth(view, book, waiting, search);
                if (pays(worth)) {
                    return null;
                }
                declined = declined == null ? worth : declined;
            }
        }
        search.startOver();
        return declined;
    }

    /** Keeps the cheapest of those who may leave; most of the others need not even be asked. */
    private static void keep(Priced next, PriorityQueue<Priced> kept, Predicate<Entry> mayLeave) {
        Priced dearest = kept.size() < TRIED ? null : kept.peek();
        if ((dearest == null || Priced.CHEAPEST.compare(next, dearest) < 0) && mayLeave.test(next.entry)) {
            kept.add(next);
            if (kept.size() > TRIED) {
                kept.remove();
            }
        }
    }

    private record Priced(Entry entry, double price) {
        static final Comparator<Priced> CHEAPEST = (a, b) -> {
            int byPrice = Double.compare(a.price, b.price);
            if (byPrice != 0) {
                return byPrice;
            }
            int byGpus = Integer.compare(a.entry.job().gpus(), b.entry.job().gpus());
            return byGpus != 0
                    ? byGpus
                    : Long.compare(a.entry.job().id(), b.entry.job().id());
        };
    }

    private Worth worth(View view, Book book, Entry waiting, VictimSearch search) {
        return Worth.of(
                view,
                order,
                waiting,
                search.place(),
                search.victims(),
                behind.jobs(view, book, waiting.job()),
                this::weight);
    }

    private static Action.Preempt action(Entry waiting, VictimSearch search, Worth worth) {
        return new Action.Preempt(
                waiting.job().id(), search.place(), search.victimIds(), worth.gainMillis(), worth.costMillis());
    }

    private boolean outlastsItsPause(View view, JobView victim) {
        return Worth.leftMillis(view, order, victim) > Worth.overheadMillis(view, victim);
    }
}
