package dev.fermata.research.dally;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.research.TraceFolder;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Dally against policies that never wait for closeness, always wait, or wait for some models. The abstract gives three
 * "up to" figures and names neither baseline nor setting for each, so every baseline is compared in its best cell; then
 * parts are exchanged one by one to find the source of the figures.
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
            DallyFindings.GANDIVA,
            DallyFindings.SJF,
            DallyFindings.SRSF);
    private static final List<String> ABLATIONS = List.of(DallyFindings.KEEPS, DallyFindings.TIRESIAS_KEEPS);
    private static final List<String> BERT_ROWS = List.of(
            DallyFindings.DALLY,
            DallyFindings.NO_WAIT,
            DallyFindings.CONSOLIDATE,
            DallyFindings.TIRESIAS,
            DallyFindings.GATHERED_LAS,
            DallyFindings.TIRESIAS_QUEUES,
            DallyFindings.SJF,
            DallyFindings.SRSF);
    /** Policies compared with the paper's own on its workload; each has a row and findings. */
    private static final List<String> CHALLENGERS = List.of("fermata");

    @Override
    public String paper() {
        return DallyFindings.DALLY;
    }

    @Override
    public int workUnits(int seeds) {
        return policies().values().stream().mapToInt(List::size).sum() * seeds;
    }

    @Override
    public int dataWorkUnits(Path data) {
        return DallyTraces.workUnits(data);
    }

    /** The policies of each cell, in the order of the tables. */
    private static Map<DallySetting, List<String>> policies() {
        Map<DallySetting, List<String>> policies = new LinkedHashMap<>();
        for (DallySetting setting : DallySetting.MIXED) {
            List<String> rows = new ArrayList<>(ROWS);
            if (DallySetting.ABLATED.contains(setting)) {
                rows.addAll(ABLATIONS);
            }
            rows.addAll(CHALLENGERS);
            policies.put(setting, rows);
        }
        policies.put(DallySetting.BERT, BERT_ROWS);
        return policies;
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        Map<DallySetting, List<String>> policies = policies();
        DallyResults results = DallyResults.of(runner, policies);
        List<ResultTable> tables = new ArrayList<>();
        policies.forEach((setting, rows) -> tables.add(table(results, setting, rows)));
        List<Finding> findings = new ArrayList<>(new DallyFindings(results).all(CHALLENGERS));
        Path data = runner.data();
        if (data == null) {
            tables.add(TraceFolder.notGiven("The authors' traces"));
        } else {
            DallyTraces.run(runner, data, tables, findings);
        }
        return new ReproductionReport(
                DallyFindings.DALLY,
                "Dally waits for a close place as long as waiting has paid",
                parameters(),
                tables,
                findings);
    }

    static ResultTable table(DallyResults results, DallySetting setting, List<String> policies) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : policies) {
            rows.add(List.of(
                    policy,
                    number(results.mean(setting, policy, DallyOutcome::makespan)),
                    number(results.mean(setting, policy, DallyOutcome::jct)),
                    number(results.mean(setting, policy, DallyOutcome::queueing)),
                    number(results.mean(setting, policy, DallyOutcome::communication)),
                    number(results.mean(setting, policy, DallyOutcome::preemptions)),
                    DallyFindings.percent(-results.reduction(setting, policy, DallyFindings.NO_WAIT, DallyOutcome::jct)
                            .reduction()
                            .mean())));
        }
        return new ResultTable(
                setting.label() + " (" + setting.network().figures() + "), " + setting.workload(),
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

    private static List<ReproductionParameter> parameters() {
        return List.of(
                ReproductionParameter.authorsCode(
                        "priority", "compute over time held, lowest first; never-run jobs before all"),
                ReproductionParameter.authorsCode(
                        "T_rack", "min(0.8 H, max(6, d_machine)) leases, d = mean + 2 sigma of waits"),
                ReproductionParameter.authorsCode("T_net", "min(H, max(12, d_rack)) leases"),
                ReproductionParameter.assumed("history H", "48 leases"),
                ReproductionParameter.assumed(
                        "lease", "1 h; the checked-in 20 s contradicts the documented history in hours"),
                ReproductionParameter.authorsCode("leaving GPUs", "1 s for each of them, Gandiva's too"),
                ReproductionParameter.authorsCode("machine", "8 GPUs, 600 GB/s, 1 us for an all-reduce of eight"),
                ReproductionParameter.authorsCode("default network", DallyNetwork.DEFAULT.figures()),
                ReproductionParameter.assumed("congested network", DallyNetwork.CONGESTED.figures()),
                ReproductionParameter.assumed("heavily congested network", DallyNetwork.HEAVY.figures()),
                ReproductionParameter.authorsCode(
                        "models", "six, with layers, megabytes and compute time from their layer files"),
                ReproductionParameter.authorsCode(
                        "jobs", "sizes by model as counted in the authors' two traces, drawn for each seed"),
                ReproductionParameter.calibrated(
                        "GPU-hours", "log-normal with the traces' medians 15.5, 19.6 and means 26.1, 32.6"),
                ReproductionParameter.authorsCode("arrivals", "all at once, or Poisson with a mean gap of 1460 s"),
                ReproductionParameter.assumed("clusters", "2, 4 and 8 racks of 8 machines of 8 GPUs"),
                ReproductionParameter.assumed(
                        "all-reduce", "closed form, uneven gangs rounded up, in place of ASTRA-sim"),
                ReproductionParameter.assumed("fit inside a tier", "the tightest; the authors take the first"),
                ReproductionParameter.assumed("end of a lease", "a job that would get the same GPUs back keeps them"));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.1f" : "%,.0f", value);
    }
}
