package dev.fermata.live.progress;

import dev.fermata.live.profile.RunLength;
import dev.fermata.live.progress.ProgressLine.EpochBase;
import dev.fermata.live.progress.ProgressLine.EpochCount;

/** What the lines of a program say about its epochs: which one runs, and how many there are. */
final class EpochLines {
    private final RunLength arguments;
    private double number = -1;
    private boolean done;
    private EpochBase base = EpochBase.UNKNOWN;
    private double lowest = Double.MAX_VALUE;
    private long count;
    private double highest = -1;
    /** The number of the line that said it last. */
    private long saidBy;

    EpochLines(RunLength arguments) {
        this.arguments = arguments;
    }

    /** @param heading whether the line is about epochs only */
    void accept(EpochCount line, boolean heading, long lineNumber) {
        if (line.count() > 0) {
            count = line.count();
        }
        if (line.number() < 0) {
            return;
        }
        base = line.base() == EpochBase.UNKNOWN ? base : line.base();
        lowest = Math.min(lowest, line.number());
        highest = Math.max(highest, line.number());
        if (heading && (line.number() > number || (line.number() == number && line.done()))) {
            number = line.number();
            done = line.done();
            saidBy = lineNumber;
        }
    }

    /** The number of the epoch that the latest heading is about; -1 for none. */
    double number() {
        return number;
    }

    boolean isKnown() {
        return number >= 0;
    }

    long saidBy() {
        return saidBy;
    }

    /** The epochs that are over according to the latest heading. */
    double finished() {
        return before(number) + (done ? 1 : 0);
    }

    /** The epochs before the one with this number. */
    double before(double epoch) {
        boolean zero = base == EpochBase.ZERO || (base == EpochBase.UNKNOWN && lowest < 1);
        return Math.max(0, zero ? epoch : epoch - 1);
    }

    /** Epochs in all, as lines or the command say; 0 for unknown. */
    double count() {
        if (count <= 0) {
            return arguments.epochs();
        }
        boolean fromZero = base == EpochBase.UNKNOWN && lowest < 1;
        if (fromZero && (highest >= count || arguments.epochs() == count + 1 || looksLikeLast())) {
            return count + 1;
        }
        return count;
    }

    /** Loops that count from 0 often print the last number as the total, such as 9 or 24. */
    private boolean looksLikeLast() {
        return arguments.epochs() != count && (count % 10 == 9 || count % 10 == 4);
    }
}
