package dev.fermata.live.progress;

import dev.fermata.live.progress.ProgressLine.EpochBase;
import dev.fermata.live.progress.ProgressLine.EpochCount;
import java.util.List;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** The progress lines of training frameworks, each with a form of its own. Lines about validation match none of them. */
final class FrameworkLines {
    private FrameworkLines() {}

    private static final String WHOLE_ETA = "eta:\\s+(?:(\\d+) days?, )?(\\d+:\\d\\d:\\d\\d)";

    static final List<LineRecognizer> ALL = List.of(
            LineRecognizer.of(
                    "megatron",
                    "iteration",
                    "^\\s*(?:\\[[^\\]]*\\]\\s*)?iteration\\s+(\\d+)/\\s*(\\d+) \\|",
                    (line, m) -> run("megatron", m, 1, 2)),
            LineRecognizer.of(
                    "nemo",
                    "Training epoch",
                    "Training epoch (\\d+), iteration (\\d+)/(\\d+)",
                    (line, m) -> ProgressLine.run("nemo", number(m, 2) + 1, number(m, 3) + 1)),
            LineRecognizer.of(
                    "deepspeed",
                    "skipped=",
                    "\\bstep=(\\d+), skipped=\\d+, lr=",
                    (line, m) -> run("deepspeed", m, 1, 0)),
            LineRecognizer.of(
                    "deepspeed-timer",
                    "global_step=",
                    "epoch=\\d+/micro_step=\\d+/global_step=(\\d+)",
                    (line, m) -> run("deepspeed", m, 1, 0)),
            LineRecognizer.of(
                    "mmengine-epoch",
                    "poch",
                    "Epoch(?:\\(train\\))?\\s+\\[\\s*(\\d+)\\]\\[\\s*(\\d+)/(\\d+)\\].*?" + WHOLE_ETA,
                    (line, m) ->
                            inEpoch("mmengine", m, EpochBase.ONE).withEta(Numbers.clockMillis(m.group(4), m.group(5)))),
            LineRecognizer.of(
                    "mmengine-iter",
                    "Iter",
                    "Iter(?:\\(train\\))?\\s+\\[\\s*(\\d+)/(\\d+)\\].*?" + WHOLE_ETA,
                    (line, m) -> run("mmengine", m, 1, 2)),
            LineRecognizer.of(
                    "detectron2",
                    "eta:",
                    WHOLE_ETA + "\\s+iter:\\s(\\d+)\\s",
                    (line, m) -> ProgressLine.run("detectron2", number(m, 3), 0)
                            .withEta(Numbers.clockMillis(m.group(1), m.group(2)))),
            LineRecognizer.of(
                    "fairseq",
                    "num_updates",
                    "epoch (\\d+):\\s+(\\d+) / (\\d+)\\s.*?num_updates=",
                    (line, m) -> inEpoch("fairseq", m, EpochBase.ONE)),
            LineRecognizer.of("nanogpt", "iter ", "^iter (\\d+): loss \\S+, time ", (line, m) -> run("iter", m, 1, 0)),
            LineRecognizer.of(
                    "timm",
                    "Train: ",
                    "Train: (\\d+) \\[\\s*(\\d+)/(\\d+)\\s+\\(\\s*\\d+%\\)\\]",
                    (line, m) -> inEpoch("timm", m, EpochBase.ZERO)),
            LineRecognizer.of(
                    "timm-length",
                    "cheduled epochs",
                    "Scheduled epochs:\\s*(\\d+)",
                    (line, m) -> ProgressLine.length(0, number(m, 1))),
            LineRecognizer.of(
                    "torchvision",
                    "Epoch: [",
                    "(?:^|\\s)Epoch: \\[(\\d+)\\]\\s*\\[\\s*(\\d+)/(\\d+)\\]",
                    (line, m) -> inEpoch("torchvision", m, EpochBase.ZERO)),
            LineRecognizer.of(
                    "pytorch-mnist",
                    "Train Epoch",
                    "Train Epoch: (\\d+)\\s*\\[(\\d+)/(\\d+)",
                    (line, m) -> inEpoch("pytorch-mnist", m, EpochBase.UNKNOWN)),
            LineRecognizer.of(
                    "yolo",
                    "%",
                    "^\\s*(\\d+)/(\\d+)\\s+[\\d.]+G\\s.*?(\\d+)%",
                    (line, m) -> ProgressLine.inEpoch("yolo", epoch(m, 1, 2, EpochBase.ONE), number(m, 3), 100)),
            LineRecognizer.of(
                    "rich",
                    "•",
                    "Epoch (\\d+)(?:/(\\d+))?\\s+[━╸╺]+\\s+(\\d+)/(\\d+)\\s+\\d+:\\d\\d:\\d\\d •",
                    (line, m) -> ProgressLine.inEpoch(
                            "lightning",
                            EpochCount.of(number(m, 1), m.group(2) == null ? 0 : number(m, 2) + 1, EpochBase.ZERO),
                            number(m, 3),
                            number(m, 4))),
            LineRecognizer.of(
                    "keras",
                    "/",
                    "^\\s*(\\d+)/(\\d+)\\s+(?:\\[[=>.]+\\]\\s-|━+)\\s+(?:ETA:\\s+)?(?:\\d+:)*\\d+m?s?",
                    (line, m) -> ProgressLine.inEpoch("keras", EpochCount.NONE, number(m, 1), number(m, 2))),
            LineRecognizer.of(
                    "fastai",
                    "|",
                    "Epoch (\\d+)/(\\d+) : \\|[^|]*\\|\\s*[\\d.]+%\\s\\[(\\d+)/(\\d+)\\s",
                    (line, m) ->
                            ProgressLine.inEpoch("fastai", epoch(m, 1, 2, EpochBase.ONE), number(m, 3), number(m, 4))),
            LineRecognizer.of("torchtitan", "loss:", "\\bstep:\\s+(\\d+)\\s+loss:", (line, m) -> run("step", m, 1, 0)),
            LineRecognizer.of(
                    "maxtext", "completed step", "completed step: (\\d+), seconds:", (line, m) -> run("step", m, 1, 0)),
            LineRecognizer.of(
                    "clu",
                    "steps/s",
                    "[\\d.]+ steps/s, [\\d.]+% \\((\\d+)/(\\d+)\\), ETA",
                    (line, m) -> run("clu", m, 1, 2)),
            LineRecognizer.of(
                    "composer", "[batch=", "\\[batch=(\\d+)/(\\d+)\\]", (line, m) -> run("composer", m, 1, 2)),
            LineRecognizer.of(
                    "paddlenlp",
                    "global_step: ",
                    "global_step: (\\d+).*?progress_or_epoch: ",
                    (line, m) -> run("paddlenlp", m, 1, 0)),
            LineRecognizer.of(
                    "huggingface",
                    "'epoch'",
                    "\\{.*'epoch':\\s*'?([\\d.]+(?:e[+-]?\\d+)?)",
                    (line, m) ->
                            ProgressLine.epochs(new EpochCount(Numbers.decimal(m.group(1)), 0, EpochBase.ZERO, false))),
            LineRecognizer.of(
                    "huggingface-steps",
                    "Total optimization steps",
                    "Total optimization steps\\s*=\\s*([\\d,]+)",
                    (line, m) -> ProgressLine.length(number(m, 1), 0)),
            LineRecognizer.of(
                    "huggingface-epochs",
                    "Num Epochs",
                    "Num Epochs\\s*=\\s*([\\d,]+)",
                    (line, m) -> ProgressLine.length(0, number(m, 1))));

    private static ProgressLine run(String counter, Matcher m, int current, int total) {
        return ProgressLine.run(counter, number(m, current), total == 0 ? 0 : number(m, total));
    }

    /** Groups: epoch, current, total. */
    private static ProgressLine inEpoch(String counter, Matcher m, EpochBase base) {
        return ProgressLine.inEpoch(counter, EpochCount.of(number(m, 1), 0, base), number(m, 2), number(m, 3));
    }

    private static EpochCount epoch(Matcher m, int number, int count, EpochBase base) {
        return EpochCount.of(number(m, number), number(m, count), base);
    }

    static long number(Matcher m, int group) {
        return Math.max(0, Numbers.whole(m.group(group)));
    }

    /** The first recogniser that understands the line, or null. */
    static @Nullable LineRecognizer find(String line) {
        for (LineRecognizer each : ALL) {
            if (each.read(line) != null) {
                return each;
            }
        }
        return GeneralLines.find(line);
    }
}
