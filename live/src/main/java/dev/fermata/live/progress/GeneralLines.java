package dev.fermata.live.progress;

import static dev.fermata.live.progress.FrameworkLines.number;

import dev.fermata.live.progress.ProgressLine.EpochBase;
import dev.fermata.live.progress.ProgressLine.EpochCount;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Progress lines of no framework in particular: bars of tqdm, and what people print in their own loops. What names another
 * work than training is none.
 */
final class GeneralLines {
    /** Loops before, between and after the training. */
    private static final Pattern OTHER_WORK = Pattern.compile(
            "(?i)\\b(val|valid|validat|eval|test|predict|infer|sanity|download|upload|load|read|map|token|filter|generat"
                    + "|extract|unpack|prepro|prepar|process|cach|sav|writ|check|shard|fetch|resolv|build|collat|pack|convert"
                    + "|comput|calculat|index|scan|warm|compil|init|creat|import)");

    private static final Pattern EPOCH =
            Pattern.compile("(?i)\\bepochs?\\s*[:=]?\\s*\\[?(\\d+)(?:\\s*/\\s*(\\d+))?\\]?");
    private static final Pattern EPOCHS = Pattern.compile("(?i)\\bepochs?\\b");
    private static final Pattern DIGITS = Pattern.compile("\\d+");
    private static final Pattern METRICS = Pattern.compile("(?i)loss|acc|score|perplex|=\\s*-?[\\d.]|:\\s*-?\\d");

    private GeneralLines() {}

    static final List<LineRecognizer> ALL = List.of(
            LineRecognizer.of(
                    "tqdm",
                    "%|",
                    "^(.*?)\\d{1,3}%\\|[^|]*\\|\\s*([\\d.]+[kMGTP]?)/([\\d.]+[kMGTP]?)\\s\\[[\\d:]+<",
                    GeneralLines::bar),
            LineRecognizer.of(
                    "tqdm-endless",
                    "/s",
                    "^([^\\[]*?)([\\d.]+[kMG]?)([A-Za-z]+)\\s\\[[\\d:]+,\\s+(?:[\\d.]+[kMG]?|\\?)\\S+/\\w+",
                    (line, m) -> loop("tqdm", m.group(1), Numbers.whole(m.group(2)), 0)),
            LineRecognizer.of(
                    "epoch-and-step",
                    "/",
                    "(?i)\\bepochs?\\s*[:=]?\\s*[\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)\\s*[\\])]?[\\s,;:|-]*"
                            + "(?:steps?|iter|iters|iteration|batch|batches)?\\s*[:=]?\\s*[\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)",
                    (line, m) -> training(line, m)
                            ? ProgressLine.inEpoch(
                                    "epoch-and-step",
                                    EpochCount.of(number(m, 1), number(m, 2), EpochBase.UNKNOWN),
                                    number(m, 3),
                                    number(m, 4))
                            : null),
            LineRecognizer.of(
                    "epoch-then-step",
                    "",
                    "(?i)\\bepochs?\\s*[:=]?\\s*[\\[(]?\\s*(\\d+)\\s*[\\])]?[\\s,;:|-]+"
                            + "(?:steps?|iter|iters|iteration|batch|batches)\\s*[:=]?\\s*[\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)",
                    (line, m) -> training(line, m)
                            ? ProgressLine.inEpoch(
                                    "epoch-then-step",
                                    EpochCount.of(number(m, 1), 0, EpochBase.UNKNOWN),
                                    number(m, 2),
                                    number(m, 3))
                            : null),
            LineRecognizer.of(
                    "epoch-then-count",
                    "/",
                    "(?i)\\bepoch\\s*[:=]?\\s*(\\d+)\\s*[|,;:-]+\\s*(\\d+)\\s*/\\s*(\\d+)\\s*(?:batches|steps|iterations)",
                    (line, m) -> training(line, m)
                            ? ProgressLine.inEpoch(
                                    "epoch-then-count",
                                    EpochCount.of(number(m, 1), 0, EpochBase.UNKNOWN),
                                    number(m, 2),
                                    number(m, 3))
                            : null),
            LineRecognizer.of(
                    "epoch-of",
                    "",
                    "(?i)\\bepochs?\\s*[:=#]?\\s*[\\[(]?\\s*(\\d+)\\s*(?:/|of)\\s*(\\d+)",
                    (line, m) -> training(line, m) ? epoch(line, m, number(m, 2)) : null),
            LineRecognizer.of(
                    "step-of",
                    "",
                    "(?i)\\b(?:global[ _]?)?(steps?|iter|iters|iterations?|batch|updates?)\\s*[:=#]?\\s*[\\[(]?\\s*([\\d,]+)\\s*(?:/|of)\\s*([\\d,]+)",
                    (line, m) -> training(line, m)
                            ? loop(
                                    "step " + m.group(1).toLowerCase(java.util.Locale.ROOT),
                                    "",
                                    number(m, 2),
                                    number(m, 3))
                            : null),
            LineRecognizer.of(
                    "step",
                    "",
                    "(?i)^.{0,60}?\\b(?:global[ _]?)?(?:step|iter|iteration|update)\\s*[:=#]?\\s*\\[?([\\d,]+)\\]?(?:[\\s:,;|-]|$)",
                    (line, m) -> training(line, m) && !isEvaluation(line)
                            ? ProgressLine.run("step", number(m, 1), 0)
                            : null),
            LineRecognizer.of(
                    "epoch",
                    "",
                    "(?i)^.{0,60}?\\bepoch\\s*[:=#]?\\s*\\[?(\\d+)\\]?(?:[\\s,:;|-]|$)",
                    (line, m) -> training(line, m) ? epoch(line, m, 0) : null));

    static @Nullable LineRecognizer find(String line) {
        for (LineRecognizer each : ALL) {
            if (each.read(line) != null) {
                return each;
            }
        }
        return null;
    }

    private static @Nullable ProgressLine bar(String line, Matcher m) {
        long current = Numbers.whole(m.group(2));
        long total = Numbers.whole(m.group(3));
        String description = m.group(1);
        if (OTHER_WORK.matcher(description).find() || total <= 0 || current < 0) {
            return null;
        }
        Matcher epoch = EPOCH.matcher(description);
        if (epoch.find()) {
            boolean lightning = line.contains("v_num=");
            return ProgressLine.inEpoch(
                    "tqdm",
                    EpochCount.of(
                            number(epoch, 1),
                            epoch.group(2) == null ? 0 : number(epoch, 2),
                            lightning ? EpochBase.ZERO : EpochBase.UNKNOWN),
                    current,
                    total);
        }
        if (EPOCHS.matcher(description).find() || line.contains("epoch/s") || line.contains("s/epoch")) {
            return loop("tqdm", "epochs", current, total);
        }
        return loop("tqdm", description, current, total);
    }

    private static @Nullable ProgressLine loop(String name, String description, long current, long total) {
        return current < 0 || OTHER_WORK.matcher(description).find()
                ? null
                : ProgressLine.loop(
                        name + " " + DIGITS.matcher(description).replaceAll("").strip() + " " + total, current, total);
    }

    /** A line with figures after the epoch ends it; a bare one is a heading. */
    private static ProgressLine epoch(String line, Matcher m, long count) {
        boolean done = METRICS.matcher(line.substring(m.end())).find();
        return ProgressLine.epochs(new EpochCount(number(m, 1), count, EpochBase.UNKNOWN, done));
    }

    /** Whether nothing before the match names another work. */
    private static boolean training(String line, Matcher m) {
        return !OTHER_WORK.matcher(line.substring(0, m.start())).find();
    }

    /** {@code step 2000: train loss 2.1, val loss 2.3} of nanoGPT is an evaluation of both. */
    private static boolean isEvaluation(String line) {
        return line.contains("train loss") && line.contains("val loss");
    }
}
