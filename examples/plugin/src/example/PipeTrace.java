package example;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import java.io.BufferedReader;
import java.io.IOException;

/** The trace format {@code pipe}: a header, then {@code id|submit|gpus|run}, times in seconds since the first submission. */
public final class PipeTrace implements TraceFormat {
    private static final String HEADER = "id|submit|gpus|run";

    @Override
    public String name() {
        return "pipe";
    }

    @Override
    public String title() {
        return "the example's trace";
    }

    @Override
    public boolean matches(FileHead head) {
        return !head.lines().isEmpty() && head.lines().get(0).equals(HEADER);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        try (BufferedReader reader = new BufferedReader(file.open())) {
            reader.readLine();
            int number = 2;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                try {
                    String[] cells = line.split("\\|", -1);
                    collector.add(TraceRecord.builder(cells[0], millis(cells[1]), Integer.parseInt(cells[2]), millis(cells[3]))
                            .build());
                } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                    collector.reject(new TraceException(file.path(), number, "expected " + HEADER));
                }
                number++;
            }
        }
    }

    private static long millis(String seconds) {
        return 1000 * Long.parseLong(seconds);
    }
}
