package dev.fermata.core.scheduler;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** A draft that changes the real capacity and remembers how to undo it: no copy, whatever the size of the cluster. */
final class CapacityDraft implements Draft {
    private record Step(JobView job, Allocation allocation, boolean eviction) {}

    private final Supplier<Capacity> current;
    private final List<Step> steps = new ArrayList<>();

    CapacityDraft(Supplier<Capacity> current) {
        this.current = current;
    }

    @Override
    public FreeCapacity capacity() {
        return current.get();
    }

    @Override
    public int mark() {
        return steps.size();
    }

    @Override
    public void allocate(JobView job, Allocation allocation) {
        apply(new Step(job, allocation, false));
    }

    @Override
    public void evict(JobView victim) {
        apply(new Step(victim, Objects.requireNonNull(victim.allocation()), true));
    }

    @Override
    public void keep(JobView victim) {
        int at = steps.size() - 1;
        while (!steps.get(at).eviction() || steps.get(at).job() != victim) {
            at--;
        }
        change(steps.remove(at), -1); // evictions only add to counters, so their order does not matter
    }

    @Override
    public void rollback(int mark) {
        for (int i = steps.size() - 1; i >= mark; i--) {
            change(steps.remove(i), -1);
        }
    }

    private void apply(Step step) {
        steps.add(step);
        change(step, 1);
    }

    private void change(Step step, int sign) {
        Capacity capacity = current.get();
        if (step.eviction()) {
            capacity.vacate(step.allocation(), step.job().job().demand(), sign);
        } else if (step.allocation().shared()) {
            capacity.occupy(step.allocation(), step.job().job().demand(), sign);
        } else {
            capacity.reserve(step.allocation(), step.job().job().demand(), sign);
        }
    }
}
