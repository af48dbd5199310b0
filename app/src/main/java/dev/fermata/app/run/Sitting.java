package dev.fermata.app.run;

import dev.fermata.app.input.Setting;
import dev.fermata.sim.portrait.Portrait;
import java.util.List;
import java.util.Optional;

/** Which runs are drawn, and in which detail. */
public interface Sitting {
    Sitting NONE = (setting, seed) -> Optional.empty();

    /** Stays of all charts together, so that a page of many policies stays small. */
    int STAYS_OF_A_PAGE = 4000;

    int MOST_STAYS = 2500;
    int FEW_POLICIES = 3;
    int MANY_ROWS = 32;
    int FEW_ROWS = 16;

    Optional<Portrait.Detail> of(Setting setting, long seed);

    /** Whether a run that was made before was drawn as it is wanted now; else it must be made again. */
    default boolean shown(Cell cell, Measured run) {
        Optional<Portrait.Detail> wanted = of(cell.setting(), cell.seed());
        Portrait portrait = run.result().portrait();
        return wanted.isEmpty() || (portrait != null && (wanted.get().ganttRows() == 0 || portrait.gantt() != null));
    }

    /** Every run, and a chart of the GPUs for the first seed of the first setting. */
    static Sitting forReport(List<Setting> settings, List<Long> seeds) {
        Setting first = settings.get(0);
        int policies = first.policies().size();
        Portrait.Detail chart = new Portrait.Detail(
                policies > FEW_POLICIES ? FEW_ROWS : MANY_ROWS, Math.min(MOST_STAYS, STAYS_OF_A_PAGE / policies));
        return (setting, seed) ->
                Optional.of(setting.equals(first) && seed == seeds.get(0) ? chart : Portrait.Detail.WITHOUT_GANTT);
    }
}
