package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.order.Order;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Waiting jobs, first come first served: in one line, or in a line for each demand, so that none blocks another. */
final class Lines {
    /** Who waits; the ticket is kept here because it may change while the job is away. */
    record Waiter(JobView job, int level, long ticketMillis) {
        static final Comparator<Waiter> ORDER = Comparator.comparingInt(Waiter::level)
                .thenComparingLong(Waiter::ticketMillis)
                .thenComparingLong(w -> w.job.id());
    }

    /** Jobs that fit or do not fit together. */
    private record Kind(Demand demand, long types) {}

    /** Those who wait behind the same head. */
    static final class Line {
        private final @Nullable Kind kind;
        private final TreeSet<Waiter> waiters = new TreeSet<>(Waiter.ORDER);
        private long refusedVersion = -1;
        private long refusedHead = -1;
        private Reason refusedFor = Reason.NOT_YET_CONSIDERED;

        private Line(@Nullable Kind kind) {
            this.kind = kind;
        }

        JobView head() {
            return waiters.first().job;
        }

        Waiter first() {
            return waiters.first();
        }

        boolean isEmpty() {
            return waiters.isEmpty();
        }

        /** The head does not fit: no second look until something changes. Answers whether the head or the reason is new. */
        boolean refuse(long version, Reason reason) {
            boolean news = refusedHead != head().id() || refusedFor != reason;
            refusedVersion = version;
            refusedHead = head().id();
            refusedFor = reason;
            return news;
        }

        boolean refused(long version) {
            return refusedVersion == version && refusedHead == head().id();
        }
    }

    private record Place(Line line, Waiter waiter) {}

    private final boolean single;
    private final Map<Kind, Line> byKind = new LinkedHashMap<>();
    private final Line all = new Line(null);
    private final LongMap<Place> places = new LongMap<>();

    /** @param single one line for all */
    Lines(boolean single) {
        this.single = single;
    }

    void add(JobView job) {
        Line line = single ? all : byKind.computeIfAbsent(new Kind(job.job().demand(), job.eligibleTypes()), Line::new);
        Waiter waiter = new Waiter(job, Order.level(job), job.ticketMillis());
        line.waiters.add(waiter);
        places.put(job.id(), new Place(line, waiter));
    }

    void remove(long id) {
        Place place = places.remove(id);
        if (place != null) {
            place.line.waiters.remove(place.waiter);
            if (place.line.isEmpty() && place.line.kind != null) {
                byKind.remove(place.line.kind);
            }
        }
    }

    boolean isEmpty() {
        return places.size() == 0;
    }

    /** The lines somebody stands in whose head was not refused at this version. */
    List<Line> due(long version) {
        Collection<Line> lines = single ? List.of(all) : byKind.values();
        List<Line> due = new ArrayList<>();
        for (Line line : lines) {
            if (!line.isEmpty() && !line.refused(version)) {
                due.add(line);
            }
        }
        return due;
    }

    /** How many stand before this job in its line, or -1 when it does not wait here. */
    int ahead(long id) {
        Place place = places.get(id);
        return place == null ? -1 : place.line.waiters.headSet(place.waiter).size();
    }
}
