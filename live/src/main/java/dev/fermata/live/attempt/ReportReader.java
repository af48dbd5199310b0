package dev.fermata.live.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.history.RecordJson;
import dev.fermata.live.engine.EngineEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The reports of one attempt, whichever way they came. They are in its own report file, or the daemon received them and
 * appended them to another file of the folder. Oversized files are emptied. Of several steps at once only the last is returned.
 */
final class ReportReader {
    private static final int MAX_SUMMARY_BYTES = 1 << 20;
    private static final RecordJson RECORDS = new RecordJson();

    private final LongSupplier requested;
    private final Path receivedFile;
    private final List<ReportFile> files;
    private final Path summary;
    /** As daemons of 0.1.0 called it; an attempt that one of them started may have it. */
    private final Path oldSummary;

    private AttemptEnding.ReportedMilestones milestones = AttemptEnding.ReportedMilestones.NONE;
    private AttemptPhases phases = AttemptPhases.NONE;

    /** What a later daemon must know of lines that are no longer in the files. */
    private record SavedReportState(AttemptEnding.ReportedMilestones milestones, AttemptPhases phases) {}

    /** @param requested when it got the signal to exit; never before */
    ReportReader(Path folder, LongSupplier requested) {
        this.requested = requested;
        this.receivedFile = folder.resolve("report-received");
        this.files = List.of(new ReportFile(folder.resolve("report")), new ReportFile(receivedFile));
        this.summary = folder.resolve("report-summary");
        this.oldSummary = folder.resolve("said");
    }

    /** What the attempt has reported so far. It counts as loaded only after its warm-up. */
    synchronized AttemptEnding.ReportedMilestones milestones() {
        return new AttemptEnding.ReportedMilestones(
                milestones.helloMillis(),
                milestones.loadedMillis() < 0 ? -1 : Math.max(milestones.loadedMillis(), phases.readyMillis()),
                milestones.savedMillis(),
                milestones.finished());
    }

    synchronized AttemptPhases phases() {
        return phases;
    }

    /** Restores the state of lines that an earlier daemon removed. */
    synchronized void restore() {
        Path saved = Files.exists(summary, LinkOption.NOFOLLOW_LINKS) ? summary : oldSummary;
        try {
            if (Files.isRegularFile(saved, LinkOption.NOFOLLOW_LINKS) && Files.size(saved) <= MAX_SUMMARY_BYTES) {
                SavedReportState known = RECORDS.read(Files.readString(saved), SavedReportState.class);
                milestones = known.milestones();
                phases = known.phases();
            }
        } catch (IOException | IllegalArgumentException e) {
            milestones = AttemptEnding.ReportedMilestones.NONE; // the rest of the file has to do
            phases = AttemptPhases.NONE;
        }
    }

    /** Keeps lines that the daemon received for this attempt, durably; the next {@link #poll} has them. */
    synchronized void receive(String lines) throws IOException {
        try (FileChannel channel = FileChannel.open(
                receivedFile,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer text = ByteBuffer.wrap((lines.endsWith("\n") ? lines : lines + "\n").getBytes(UTF_8));
            while (text.hasRemaining()) {
                channel.write(text);
            }
        }
    }

    /** The reports since the last poll, oldest first; {@code nowMillis} bounds the times that a job claims. */
    synchronized List<EngineEvent.JobReport> poll(long nowMillis) throws IOException {
        List<EngineEvent.JobReport> reports = new ArrayList<>();
        for (ReportFile file : files) {
            for (String line : file.newLines()) {
                EngineEvent.JobReport report = ReportParser.parse(line, nowMillis);
                if (report != null) {
                    apply(report);
                    add(reports, report);
                }
            }
        }
        if (files.stream().anyMatch(ReportFile::isOversized)) {
            truncate();
        }
        return reports;
    }

    private static void add(List<EngineEvent.JobReport> reports, EngineEvent.JobReport report) {
        int last = reports.size() - 1;
        if (last >= 0
                && report.type().equals("step")
                && reports.get(last).type().equals("step")) {
            reports.remove(last);
        }
        reports.add(report);
    }

    private void apply(EngineEvent.JobReport report) {
        phases = phases.apply(report, report.atMillis() >= requested.getAsLong());
        milestones = milestones.apply(report);
    }

    /** Empties the files after their state is saved: all of them, since the state does not tell their lines apart. */
    private void truncate() throws IOException {
        Files.writeString(summary, RECORDS.write(new SavedReportState(milestones, phases)) + "\n");
        for (ReportFile file : files) {
            file.truncate();
        }
    }
}
