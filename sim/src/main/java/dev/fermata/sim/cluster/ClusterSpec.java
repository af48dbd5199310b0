package dev.fermata.sim.cluster;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Topology;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code NODESxGPUS[:TYPE]} (one rack) or {@code RACKSxNODESxGPUS[:TYPE]}, several joined by {@code +}. Each part starts a
 * rack of its own.
 */
public final class ClusterSpec {
    private static final Pattern PART = Pattern.compile("(\\d+)x(\\d+)(?:x(\\d+))?(?::([A-Za-z0-9._-]+))?");
    private static final int MAX_GPUS = 10_000_000;

    private ClusterSpec() {}

    public static Topology parse(String text) {
        return parse(text, Network.DEFAULT);
    }

    public static Topology parse(String text, Network network) {
        Topology.Builder builder = Topology.builder().network(network);
        double total = 0;
        for (String part : text.split("\\+", -1)) {
            Matcher m = PART.matcher(part.strip());
            if (!m.matches()) {
                throw error(
                        text, "'" + part + "' is not NODESxGPUS[:TYPE] or RACKSxNODESxGPUS[:TYPE], such as 16x8:V100");
            }
            boolean racked = m.group(3) != null;
            long racks = racked ? number(text, m.group(1)) : 1;
            long nodes = number(text, m.group(racked ? 2 : 1));
            long gpus = number(text, m.group(racked ? 3 : 2));
            total += (double) racks * nodes * gpus;
            if (total > MAX_GPUS) {
                throw error(text, "it has more than " + MAX_GPUS + " GPUs");
            }
            GpuType type = m.group(4) == null ? GpuCatalogue.GENERIC : GpuCatalogue.byName(m.group(4));
            for (long r = 0; r < racks; r++) {
                builder.rack();
                for (long n = 0; n < nodes; n++) {
                    builder.node(type, (int) gpus);
                }
            }
        }
        return builder.build();
    }

    private static long number(String text, String digits) {
        long value = digits.length() > 8 ? Long.MAX_VALUE : Long.parseLong(digits);
        if (value == 0 || value > MAX_GPUS) {
            throw error(text, "'" + digits + "' must be from 1 to " + MAX_GPUS);
        }
        return value;
    }

    private static IllegalArgumentException error(String text, String rule) {
        return new IllegalArgumentException("cluster '" + text + "': " + rule);
    }
}
