package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.order.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Waiting jobs in order of arrival (priorities first), each with the number of later jobs that went before it. */
final class FirstComeLine {
    /** One waiting job. */
    static final class Place implements Comparable<Place> {
        final JobView job;
        final PairScore.Beat beat;
        private final int level;
        private final long ticketMillis;
        /** How many jobs from behind it have started while it waited. */
        int passedOver;
        /** Every place that could take it has been looked at since it came into the window. */
        boolean seen;

        Place(JobView job) {
            this.job = job;
            this.beat = PairScore.Beat.of(job.job().profile());
            this.level = Order.level(job);
            this.ticketMillis = job.ticketMillis();
        }

        /** Whether all that was noted about the job is still so. */
        boolean holds() {
            return ticketMillis == job.ticketMillis()
                    && level == Order.level(job)
                    && beat.equals(PairScore.Beat.of(job.job().profile()));
        }

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private static final Comparator<Place> ORDER = Comparator.<Place>comparingInt(p -> p.level)
            .thenComparingLong(p -> p.ticketMillis)
            .thenComparingLong(p -> p.job.id());

    private final TreeSet<Place> line = new TreeSet<>(ORDER);
    private final List<@Nullable Place> bySlot = new ArrayList<>();
    private final int look;
    private List<Place> window = List.of();

    /** @param look how many jobs from the front are looked at */
    FirstComeLine(int look) {
        this.look = look;
    }

    void update(View view) {
        for (JobView job : view.changed()) {
            Place place = place(job);
            boolean waits = job.state() == JobState.PENDING && !job.promised();
            Place anew = waits && (place == null || !place.holds()) ? new Place(job) : null;
            if (place != null && (anew != null || !waits)) {
                remove(place);
            }
            if (anew != null) {
                anew.passedOver = place == null || place.ticketMillis != anew.ticketMillis ? 0 : place.passedOver;
                add(anew);
            }
        }
    }

    private void add(Place place) {
        while (bySlot.size() <= place.job.slot()) {
            bySlot.add(null);
        }
        bySlot.set(place.job.slot(), place);
        line.add(place);
    }

    private void remove(Place place) {
        line.remove(place);
        bySlot.set(place.job.slot(), null);
    }

    @Nullable
    Place place(JobView job) {
        return job.slot() < bySlot.size() ? bySlot.get(job.slot()) : null;
    }

    /** A job starts: those before it were passed over. */
    void start(Place started) {
        for (Place other : line) {
            if (other == started) {
                break;
            }
            other.passedOver++;
        }
        remove(started);
    }

    /** The jobs at the front that are looked at. */
    List<Place> window() {
        List<Place> next = new ArrayList<>(Math.min(look, line.size()));
        for (Place place : line) {
            if (next.size() == look) {
                break;
            }
            next.add(place);
        }
        for (Place gone : window) {
            gone.seen &= next.size() < look || gone.compareTo(next.get(look - 1)) <= 0;
        }
        window = next;
        return next;
    }

    boolean beyondWindow(Place place) {
        return window.size() == look && place.compareTo(window.get(look - 1)) > 0;
    }

    int ahead(Place place) {
        return line.headSet(place).size();
    }
}
