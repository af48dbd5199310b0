package dev.fermata.live.retention;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures age by the time in which a daemon has watched the clock. A gap of more than a day between two looks, whether the clock
 * was set ahead or the daemon was off, counts as one day: nothing is ever removed because the clock jumped. A file keeps the last
 * look and the gaps over restarts.
 */
public final class AgeClock {
    private static final long MAX_STEP_MILLIS = 86_400_000;
    private static final int MAX_GAPS = 1000;

    /** A time that counts for nothing. */
    private record Gap(long fromMillis, long toMillis) {}

    private final Path file;
    private final List<Gap> gaps = new ArrayList<>();
    private long lastMillis = Long.MIN_VALUE;

    private AgeClock(Path file) {
        this.file = file;
    }

    /** Continues the clock of this file; a missing or damaged file begins a new one, for which nothing is old yet. */
    public static AgeClock in(Path file) throws IOException {
        AgeClock clock = new AgeClock(file);
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            return clock;
        }
        try {
            String[] lines = text.strip().split("\n");
            for (int i = 1; i < lines.length; i++) {
                String[] words = lines[i].split(" ");
                clock.gaps.add(new Gap(Long.parseLong(words[0]), Long.parseLong(words[1])));
            }
            clock.lastMillis = Long.parseLong(lines[0]);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            clock.gaps.clear();
        }
        return clock;
    }

    /** Looks at the wall clock; to be called at least once a day. */
    public synchronized void look(long wallMillis) throws IOException {
        if (lastMillis == Long.MIN_VALUE) {
            gaps.add(new Gap(Long.MIN_VALUE / 2, wallMillis)); // what is older is as old as this clock
        } else if (wallMillis - lastMillis > MAX_STEP_MILLIS) {
            gaps.add(new Gap(lastMillis + MAX_STEP_MILLIS, wallMillis));
        }
        gaps.replaceAll(gap -> new Gap(gap.fromMillis, Math.min(gap.toMillis, wallMillis)));
        gaps.removeIf(gap -> gap.toMillis <= gap.fromMillis); // beyond a clock that was set back
        while (gaps.size() > MAX_GAPS) {
            gaps.remove(0);
        }
        lastMillis = wallMillis;
        StringBuilder text = new StringBuilder().append(lastMillis).append('\n');
        gaps.forEach(gap ->
                text.append(gap.fromMillis).append(' ').append(gap.toMillis).append('\n'));
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(next, text.toString().getBytes(UTF_8));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Looks at the wall clock now. */
    public void look() throws IOException {
        look(System.currentTimeMillis());
    }

    /** The moment that was this long ago, without the gaps; everything before is older. */
    public synchronized long before(long ageMillis) {
        long left = ageMillis;
        long at = lastMillis;
        for (int i = gaps.size() - 1; i >= 0 && left > 0; i--) {
            Gap gap = gaps.get(i);
            long between = at - gap.toMillis;
            if (between >= left) {
                return at - left;
            }
            left -= between;
            at = gap.fromMillis;
        }
        return at - left;
    }
}
