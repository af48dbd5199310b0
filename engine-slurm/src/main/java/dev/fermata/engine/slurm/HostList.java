package dev.fermata.engine.slurm;

import java.util.ArrayList;
import java.util.List;

/** Lists of nodes as Slurm abbreviates them: {@code gpu[001-016,020],login1}. */
final class HostList {
    private HostList() {}

    static List<String> expand(String text) {
        List<String> hosts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                expandOne(text.substring(from, i), hosts);
                from = i + 1;
            }
        }
        return hosts;
    }

    /** The brackets of one name, first to last. */
    private static void expandOne(String name, List<String> hosts) {
        int open = name.indexOf('[');
        int close = name.indexOf(']', open);
        if (open < 0 || close < 0) {
            if (!name.isBlank() && !name.equals("(null)")) {
                hosts.add(name.strip());
            }
            return;
        }
        for (String range : name.substring(open + 1, close).split(",", -1)) {
            String[] ends = range.split("-", -1);
            String last = ends[ends.length - 1];
            long to = Long.parseLong(last);
            for (long number = Long.parseLong(ends[0]); number <= to; number++) {
                String digits = Long.toString(number);
                String padded = "0".repeat(Math.max(0, ends[0].length() - digits.length())) + digits;
                expandOne(name.substring(0, open) + padded + name.substring(close + 1), hosts);
            }
        }
    }
}
