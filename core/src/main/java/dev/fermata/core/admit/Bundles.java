package dev.fermata.core.admit;

import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How many jobs of each array are on GPUs or promised some, and who waits for his turn in it. Arrays without a limit are not kept. */
final class Bundles {
    private static final class Members {
        private final List<Applicant> pending = new ArrayList<>();
        private int occupying;
        private int planned;
        private int live;
    }

    private final LongMap<Members> byId = new LongMap<>();
    private final List<Members> touched = new ArrayList<>();

    /** Takes in what a job is part of and whether it occupies GPUs now. Answers whether its array's gate may have moved. */
    boolean note(Applicant applicant, boolean lives, boolean occupies, boolean pends) {
        Bundle now = applicant.view.job().bundle();
        boolean moved = false;
        if (applicant.bundle.atMost() > 0) {
            Members old = members(applicant.bundle);
            old.occupying -= applicant.occupies ? 1 : 0;
            old.pending.remove(applicant);
            old.live--;
            moved = applicant.occupies != occupies;
            if (old.live == 0) {
                byId.remove(applicant.bundle.id());
            }
        }
        applicant.bundle = lives ? now : Bundle.NONE;
        applicant.occupies = occupies;
        if (applicant.bundle.atMost() > 0) {
            Members members = members(now);
            members.live++;
            members.occupying += occupies ? 1 : 0;
            if (pends) {
                members.pending.add(applicant);
            }
        }
        return moved;
    }

    private Members members(Bundle bundle) {
        Members found = byId.get(bundle.id());
        if (found == null) {
            found = new Members();
            byId.put(bundle.id(), found);
        }
        return found;
    }

    /** Jobs of this array that wait, in no order that matters. */
    List<Applicant> pending(Bundle bundle) {
        Members members = byId.get(bundle.id());
        return members == null ? List.of() : List.copyOf(members.pending);
    }

    int occupying(Bundle bundle) {
        Members members = byId.get(bundle.id());
        return members == null ? 0 : members.occupying + members.planned;
    }

    boolean open(Applicant applicant) {
        return closedBy(applicant) == null;
    }

    /** The array whose limit keeps a job back, or null. */
    @Nullable
    Bundle closedBy(Applicant applicant) {
        Bundle bundle = applicant.view.job().bundle();
        return bundle.atMost() > 0 && occupying(bundle) >= bundle.atMost() ? bundle : null;
    }

    /** Another job of its array will be on GPUs when this round is over. */
    void plan(Applicant applicant) {
        Bundle bundle = applicant.view.job().bundle();
        Members members = bundle.atMost() > 0 ? byId.get(bundle.id()) : null;
        if (members != null) {
            members.planned++;
            touched.add(members);
        }
    }

    void forgetPlans() {
        touched.forEach(members -> members.planned = 0);
        touched.clear();
    }
}
