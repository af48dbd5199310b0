package dev.fermata.live.conductor;

import dev.fermata.core.contract.LedgerImage;
import java.util.List;

/**
 * What is kept so that a restart need not read the whole history.
 *
 * @param v version of this format
 * @param drained nodes that operators took out of use
 */
record Image(int v, LedgerImage ledger, List<Integer> drained) {
    static final int VERSION = 1;

    Image {
        drained = List.copyOf(drained);
    }
}
