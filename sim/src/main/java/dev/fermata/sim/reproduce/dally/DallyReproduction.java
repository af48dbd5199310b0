package dev.fermata.sim.reproduce.dally;

import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.Parameter;
import dev.fermata.sim.reproduce.Reproduction;
import dev.fermata.sim.reproduce.Sheet;
import dev.fermata.sim.reproduce.dally.DallyCell.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Dally against those who never wait for closeness, always wait, or wait for some models. The abstract gives three "up
 * to" figures and names neither baseline nor setting for each, so every baseline is asked for its best cell; then parts
 * are exchanged one by one to see which of them the figures come from.
 */
public final class DallyReproduction implements Reproduction {
    private static final List<String> ROWS = List.of(
            DallyFindings.DALLY,
            DallyFindings.FIXED,
            DallyFindings.NO_WAIT,
            DallyFindings.CONSOLIDATE,
            DallyFindings.TIRESIAS,
            DallyFindings.TIRESIAS_SLIP,
            DallyFindings.TIRESIAS_QUEUES,
            DallyFindings.DELAYED_LAS,
            DallyFindings.GANDIVA);
    private static final List<String> ABLATIONS = List.of(DallyFindings.KEEPS, DallyFindings.TIRESIAS_KEEPS);
    private static final List<String> BERT_ROWS = List.of(
            DallyFindings.DALLY,
            DallyFindings.NO_WAIT,
            DallyFindings.CONSOLIDATE,
            DallyFindings.TIRESIAS,
            DallyFindings.GATHERED_LAS,
            DallyFindings.TIRESIAS_QUEUES);
    /** Policies held against the paper's own on its workload; each has a row and findings. */
    private static final List<String> CHALLENGERS = List.of("fermata");

    @Override
    public String paper() {
        return DallyFindings.DALLY;
    }

    @Override
    public int pieces(int seeds) {
        return policies().values().stream().mapToInt(List::size).sum() * seeds;
    }

    /** Who runs in which cell, in the order of the sheets. */
    private static Map<DallyCell, List<String>> policies() {
        Map<DallyCell, List<String>> policies = new LinkedHashMap<>();
        for (DallyCell cell : DallyCell.MIXED) {
            List<String> rows = new ArrayList<>(ROWS);
            if (DallyCell.ABLATED.contains(cell)) {
                rows.addAll(ABLATIONS);
            }
            rows.addAll(CHALLENGERS);
            policies.put(cell, rows);
        }
        policies.put(DallyCell.BERT, BERT_ROWS);
        return policies;
    }

    @Override
    public Chapter run(Lab lab) {
        Map<DallyCell, List<String>> policies = policies();
        DallyResults results = DallyResults.of(lab, policies);
        List<Sheet> sheets = new ArrayList<>();
        policies.forEach((cell, rows) -> sheets.add(sheet(results, cell, rows)));
        return new Chapter(
                DallyFindings.DALLY,
                "Dally waits for a close place as long as waiting has paid",
                parameters(),
                sheets,
                new DallyFindings(results).all(CHALLENGERS));
    }

    private static Sheet sheet(DallyResults results, DallyCell cell, List<String> policies) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : policies) {
            rows.add(List.of(
                    policy,
                    number(results.mean(cell, policy, Outcome::makespan)),
                    number(results.mean(cell, policy, Outcome::jct)),
                    number(results.mean(cell, policy, Outcome::queueing)),
                    number(results.mean(cell, policy, Outcome::communication)),
                    number(results.mean(cell, policy, Outcome::preemptions)),
                    DallyFindings.percent(results.gain(cell, policy, DallyFindings.NO_WAIT, Outcome::jct)
                            .reduction()
                            .mean())));
        }
        return new Sheet(
                cell.words() + " (" + cell.network().figures() + "), " + cell.workload(),
                List.of(
                        "policy",
                        "makespan h",
                        "mean JCT h",
                        "mean wait h",
                        "mean communication h",
                        "preemptions",
                        "JCT vs no-wait"),
                rows);
    }

    private static List<Parameter> parameters() {
        return List.of(
                Parameter.authorsCode("priority", "compute over time held, lowest first; never-run jobs before all"),
                Parameter.authorsCode("T_rack", "min(0.8 H, max(6, d_machine)) leases, d = mean + 2 sigma of waits"),
                Parameter.authorsCode("T_net", "min(H, max(12, d_rack)) leases"),
                Parameter.assumed("history H", "48 leases"),
                Parameter.assumed("lease", "1 h; the checked-in 20 s contradicts the documented history in hours"),
                Parameter.authorsCode("leaving GPUs", "1 s for each of them; Gandiva 0"),
                Parameter.authorsCode("machine", "8 GPUs, 600 GB/s, 1 us for an all-reduce of eight"),
                Parameter.authorsCode("default network", DallyNetwork.DEFAULT.figures()),
                Parameter.assumed("congested network", DallyNetwork.CONGESTED.figures()),
                Parameter.assumed("heavily congested network", DallyNetwork.HEAVY.figures()),
                Parameter.authorsCode("models", "six, with layers, megabytes and compute time from their layer files"),
                Parameter.authorsCode(
                        "jobs", "sizes by model as counted in the authors' two traces, drawn for each seed"),
                Parameter.calibrated(
                        "GPU-hours", "log-normal with the traces' medians 15.5, 19.6 and means 26.1, 32.6"),
                Parameter.authorsCode("arrivals", "all at once, or Poisson with a mean gap of 1460 s"),
                Parameter.assumed("clusters", "2, 4 and 8 racks of 8 machines of 8 GPUs"),
                Parameter.assumed("all-reduce", "closed form, uneven gangs rounded up, in place of ASTRA-sim"),
                Parameter.assumed("fit inside a tier", "the tightest; the authors take the first"),
                Parameter.assumed("end of a lease", "who would get the same GPUs back keeps them"));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.1f" : "%,.0f", value);
    }
}
