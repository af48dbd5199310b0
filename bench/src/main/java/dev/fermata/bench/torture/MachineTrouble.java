package dev.fermata.bench.torture;

import dev.fermata.core.model.GpuType;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The machines of a site: how they begin, and what happens to them. What happens also ends again after a while. */
final class MachineTrouble {
    private static final int MOST_MACHINES = 7;

    private enum Kind {
        FAILS,
        LEAVES,
        JOINS,
        LOSES_GPU,
        CHANGES,
        FALLS_SILENT,
        IS_DRAINED,
        IS_SHARED
    }

    private final VirtualTime time;
    private final FaultPlan faults;
    private final Chance chance;
    private final SimulatedSite site;
    private final List<Kind> kinds = new ArrayList<>();

    MachineTrouble(VirtualTime time, FaultPlan faults, Chance chance, SimulatedSite site) {
        this.time = time;
        this.faults = faults;
        this.chance = chance;
        this.site = site;
        for (Kind kind : Kind.values()) {
            if (chance.oneIn(2)) {
                kinds.add(kind);
            }
        }
        int count = 1 + chance.below(4);
        for (int machine = 0; machine < count; machine++) {
            site.addMachine(newMachine(1 + chance.below(4)));
        }
    }

    private SimulatedMachine newMachine(int gpuCount) {
        String id = "node" + site.machines().size();
        List<EngineNode.Gpu> gpus = new ArrayList<>();
        GpuType type = type(chance.random());
        for (int gpu = 0; gpu < gpuCount; gpu++) {
            GpuType own = gpu > 0 && chance.oneIn(8) ? type(chance.random()) : type; // a machine of several types
            gpus.add(new EngineNode.Gpu(id + "-gpu" + gpu, own));
        }
        return new SimulatedMachine(id, gpus);
    }

    private static GpuType type(SplittableRandom random) {
        return new GpuType(random.nextInt(4) == 0 ? "A100" : "H100", 81_920, 1.0);
    }

    /** Something happens to a machine now. */
    void act() {
        if (kinds.isEmpty()) {
            return;
        }
        Kind kind = chance.of(kinds);
        SimulatedMachine machine = chance.of(List.copyOf(site.machines()));
        if (!machine.present && kind != Kind.JOINS) {
            return;
        }
        switch (kind) {
            case FAILS -> {
                machine.up = false;
                site.changed(machine, "fails");
                later(machine, "works again", () -> machine.up = true);
            }
            case LEAVES -> {
                if (site.machines().stream()
                        .anyMatch(other -> other != machine
                                && other.present
                                && !other.gpus().isEmpty())) {
                    machine.present = false;
                    machine.silent = false;
                    site.changed(machine, "leaves");
                    later(machine, "is back", () -> {
                        machine.present = true;
                        machine.renamed++;
                    });
                }
            }
            case JOINS -> {
                if (site.machines().size() < MOST_MACHINES) {
                    SimulatedMachine added = newMachine(chance.below(5)); // perhaps without GPUs
                    site.addMachine(added);
                    site.changed(added, "joins");
                }
            }
            case LOSES_GPU -> {
                EngineNode.@Nullable Gpu gpu = machine.gpus().size() < 2 ? null : chance.of(machine.gpus());
                if (gpu != null) {
                    machine.lostGpus.add(gpu.id());
                    site.changed(machine, "loses " + gpu.id());
                    later(machine, "has " + gpu.id() + " again", () -> machine.lostGpus.remove(gpu.id()));
                }
            }
            case CHANGES -> {
                machine.labels.put("pool", "p" + chance.below(3));
                site.changed(machine, "has labels " + machine.labels);
            }
            case FALLS_SILENT -> {
                machine.silent = true;
                site.changed(machine, "is silent");
                later(machine, "answers again", () -> machine.silent = false);
            }
            case IS_DRAINED -> {
                machine.drained = true;
                site.changed(machine, "is drained there");
                later(machine, "is undrained there", () -> machine.drained = false);
            }
            case IS_SHARED -> share(machine);
        }
    }

    /** Others take some of the free GPUs. */
    private void share(SimulatedMachine machine) {
        for (EngineNode.Gpu gpu : machine.gpus()) {
            if (!site.isUsed(gpu.id()) && chance.oneIn(2)) {
                machine.foreignGpus.add(gpu.id());
            }
        }
        site.changed(machine, "has others on " + machine.foreignGpus);
        later(machine, "has no others", machine.foreignGpus::clear);
    }

    private void later(SimulatedMachine machine, String how, Runnable change) {
        time.after(chance.logUniform(1_000, chance.oneIn(5) ? 7_200_000 : 1_800_000), () -> {
            if (!faults.isHealed()) {
                change.run();
                site.changed(machine, how);
            }
        });
    }

    /** Every machine is as it was at first. */
    void repairAll() {
        for (SimulatedMachine machine : List.copyOf(site.machines())) {
            machine.repair();
            site.changed(machine, "is repaired");
        }
    }
}
