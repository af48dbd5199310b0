package dev.fermata.live.progress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.live.profile.RunLength;
import dev.fermata.live.progress.OutputProgress.Confidence;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is understood of the output of unchanged programs. The lines are made up after the forms of the frameworks. */
class AttemptOutputTest {
    private long now = 1_000_000;
    private AttemptOutput output = of("python train.py");

    private static AttemptOutput of(String command) {
        return new AttemptOutput(RunLength.of(command), null, 0);
    }

    private void print(String line) {
        printRaw(line + "\n");
    }

    private void printRaw(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        now += 1_000;
        output.accept("stderr-0", bytes, bytes.length, now);
    }

    private void expect(long current, long total, Confidence confidence) {
        assertThat(output.progress().current()).as("current").isEqualTo(current);
        assertThat(output.progress().total()).as("total").isEqualTo(total);
        assertThat(output.progress().confidence()).isEqualTo(confidence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "-; iteration      100/  500000 | consumed samples: 25600 | elapsed time per iteration (ms): 812.4 |; 100; 500000",
                "-; Training epoch 0, iteration 99/4999 | lr: 0.0001 | global_step: 99; 100; 5000",
                "--max_steps 1000; [deepspeed] step=100, skipped=0, lr=[1e-4], mom=[0.9]; 100; 1000",
                "--max_steps 1000; epoch=0/micro_step=400/global_step=100, RunningAvgSamplesPerSec=81.2; 100; 1000",
                "--max_iters=600; iter 240: loss 3.10, time 251.33ms, mfu 39.10%; 240; 600",
                "--max-epochs 3; Epoch(train)  [2][ 50/100]  lr: 1e-03  eta: 1 day, 2:12:33  time: 0.4; 150; 300",
                "-; Iter(train) [  50/1000]  lr: 1e-03  eta: 0:12:33  time: 0.4; 50; 1000",
                "SOLVER.MAX_ITER 4000; eta: 0:21:10  iter: 1999  total_loss: 0.7  time: 0.30 ; 1999; 4000",
                "--max-epoch 2; epoch 002:    100 / 1234 loss=7.1, num_updates=1333, lr=1e-4; 1334; 2468",
                "--epochs 4; Train: 1 [  50/100 ( 50%)]  Loss: 6.91 (6.93)  Time: 0.391s; 150; 400",
                "--epochs 2; Epoch: [1]  [  10/50]  eta: 0:32:10  lr: 0.1; 60; 100",
                "--epochs 2; Epoch: [0][  10/50]\tTime 0.3 ( 0.4)\tLoss 6.9e+00; 10; 100",
                "--epochs=5; Train Epoch: 2 [30000/60000 (50%)]\tLoss: 0.1; 90000; 300000",
                "-;  3/100  2.31G  1.2  1.1  87  640: 45% ━━━━━─────── 45/100 4.1it/s 11.2s<13.4s; 245; 10000",
                "-; Epoch 3/9 ━━━━━━━━ 50/100 0:00:10 • 0:00:00 9.91it/s; 350; 1000",
                "-; Epoch 2/5 : |███----| 71.20% [178/250 00:31<00:12 0.43]; 428; 1250",
                "--training.steps 500; step: 100  loss:  4.12  grad_norm: 0.9  memory: 3  tps: 7,312; 100; 500",
                "steps=400; completed step: 123, seconds: 1.234, TFLOP/s/device: 180.1; 123; 400",
                "-; 2.1 steps/s, 12.5% (1250/10000), ETA: 1h10m; 1250; 10000",
                "-; [batch=400/4800]:; 400; 4800",
                "--max_steps 900; loss: 9.9, lr: 1, global_step: 10, ips: 3, progress_or_epoch: 0.0021; 10; 900",
                "-; Epoch [1/5], Step [100/600], Loss: 0.3; 100; 3000",
                "-; Epoch 1/5 | Batch 100/600 | loss 0.3; 100; 3000",
                "--epochs 7; | epoch   3 |   200/ 2983 batches | lr 20.00; 6166; 20881",
                "--steps 300; INFO:root:step 100: loss 2.3; 100; 300",
                "--epochs 10; Epoch: 3, loss: 0.25; 3; 10",
                "-; Epoch 5/10 - loss: 0.3 - acc: 0.9; 5; 10",
                "--max_steps 1000; Training:  42%|████▏     | 420/1000 [00:42<00:58,  9.98it/s, loss=0.3]; 420; 1000",
                "--num_train_epochs 3; Epoch 0:  42%|████▏     | 420/1000 [00:42<00:58,  9.98it/s, v_num=0]; 420; 3000",
            })
    void understandsALine(String arguments, String line, long current, long total) {
        output = of("python train.py " + arguments);
        print(line);
        assertThat(output.progress().total()).isEqualTo(total);
        assertThat(output.progress().current()).isEqualTo(current);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "step 2000: train loss 2.1, val loss 2.3",
                "Test:  [ 0/100]  eta: 0:01:00 loss: 3.1",
                "Validation DataLoader 0:  42%|████▏     | 420/1000 [00:42<00:58,  9.98it/s]",
                "Epoch(val)  [1][ 50/7330]    eta: 0:12:33  time: 0.4",
                "Map:  42%|████▏     | 420/1000 [00:42<00:58,  998 examples/s]",
                "Loading checkpoint shards:  50%|█████     | 1/2 [00:01<00:01,  1.10s/it]",
                "Sanity Checking DataLoader 0:  50%|█████     | 1/2 [00:01<00:01,  1.10s/it]",
                "loss 0.5 at 12:30 of 2026/11/19",
                "val step 10/50 loss: 1.0",
                "sum of 3/4 is not 1",
            })
    void linesAboutOtherThingsSayNothing(String line) {
        print(line);
        assertThat(output.progress()).isEqualTo(OutputProgress.NONE);
    }

    @Test
    void aBarOfTheWholeRunThatTheCommandConfirmsIsCertain() {
        output = of("python run.py --max_train_steps=1000");
        for (int step = 0; step <= 500; step += 10) {
            printRaw("\rSteps:  42%|████▏     | " + step + "/1000 [00:42<00:58,  9.98it/s]");
        }
        expect(490, 1000, Confidence.HIGH); // the newest bar ends with the next
        assertThat(output.progress().unitMicros()).isCloseTo(100_000, within(5_000L));
    }

    @Test
    void aBarOfUnknownScopeIsOnlyShown() {
        printRaw("\r 42%|████▏     | 420/1000 [00:42<00:58,  9.98it/s]\n");
        expect(420, 1000, Confidence.LOW);
        assertThat(output.progress().usableTotal()).isZero();
    }

    @Test
    void aBarThatBeginsAgainIsOfAnEpochAndTheTotalUnknownUnlessTheCommandSaysIt() {
        for (String command : new String[] {"python run.py", "python run.py --epochs 4"}) {
            output = of(command);
            for (int epoch = 0; epoch < 2; epoch++) {
                for (int n = 0; n <= 100; n += 25) {
                    print("\r " + n + "%|███▏ | " + n + "/100 [00:42<00:58,  9.98it/s]");
                }
            }
            expect(200, command.contains("4") ? 400 : 0, command.contains("4") ? Confidence.MEDIUM : Confidence.LOW);
        }
    }

    @Test
    void epochsOfKerasAreAddedUp() {
        for (int epoch = 1; epoch <= 3; epoch++) {
            print("Epoch " + epoch + "/10");
            for (int n = 1; n <= 1875; n += 374) {
                printRaw("\r\b\b\b\u001b[1m" + n
                        + "/1875\u001b[0m ━━━━━━━━━━━━ \u001b[1m5s\u001b[0m 3ms/step - loss: 0.30");
            }
            print("\r1875/1875 ━━━━━━━━━━━━━ 6s 3ms/step - loss: 0.25 - val_loss: 0.3");
            expect(epoch * 1875L, 18750, Confidence.HIGH);
        }
        print("313/313 ━━━━━━━━━━━━━ 1s 3ms/step - loss: 0.25");
        assertThat(output.progress().total()).isEqualTo(18750);
        assertThat(output.progress().metric()).isEqualTo(0.25);
    }

    @Test
    void theEvaluationOfTheHuggingFaceTrainerIsNotTheRun() {
        printRaw("\r  0%|          | 0/1500 [00:00<?, ?it/s]\n");
        for (int step = 1; step <= 500; step += 7) {
            printRaw("\r 33%|███▎      | " + step + "/1500 [00:42<00:58,  9.98it/s]");
        }
        print("");
        print("{'loss': '0.51', 'grad_norm': '1.2', 'learning_rate': '4e-05', 'epoch': '1.0'}");
        for (int step = 0; step <= 63; step += 3) {
            printRaw("\r 33%|███▎      | " + step + "/63 [00:42<00:58,  9.98it/s]");
        }
        print("");
        print("{'eval_loss': '0.51', 'epoch': '1.0'}");
        expect(498, 1500, Confidence.HIGH);
    }

    @Test
    void barsWithinABarOfEpochsAreCombined() {
        print("\r  0%|          | 0/5 [00:00<?, ?it/s]");
        for (int epoch = 0; epoch < 3; epoch++) {
            for (int n = 0; n <= 100; n += 20) {
                print("\r " + n + "%|███▏ | " + n + "/100 [00:42<00:58,  9.98it/s]");
                assertThat(output.progress().current()).isEqualTo(epoch * 100 + n);
            }
            print("\r 20%|██        | " + (epoch + 1) + "/5 [00:10<00:40, 10.0s/it]");
        }
        expect(300, 500, Confidence.MEDIUM);
    }

    @Test
    void aLoopBeforeTheTrainingIsLeftBehind() {
        output = of("python run.py --epochs 2");
        for (int n = 0; n <= 50; n += 5) {
            print("\r " + n + "%|███▏ | " + n + "/50 [00:42<00:58,  9.98it/s]");
        }
        for (int n = 0; n <= 900; n += 100) {
            print("\rEpoch 1: " + n / 10 + "%|███▏ | " + n + "/1000 [00:42<00:58,  9.98it/s]");
        }
        expect(900, 2000, Confidence.HIGH);
    }

    @Test
    void theSlowerOfTwoProcessesBeginsNoEpoch() {
        output = of("torchrun run.py --epochs 3");
        for (int epoch = 0; epoch < 2; epoch++) {
            for (int n = 0; n <= 1000; n += 100) {
                print("\r " + n + "%|███▏ | " + n + "/1000 [00:42<00:58,  9.98it/s]");
                print("\r " + n + "%|███▏ | " + (epoch == 0 ? Math.max(0, n - 100) : (n + 900) % 1100)
                        + "/1000 [00:42<00:58,  9.98it/s]");
            }
        }
        print("\r |███▏ | 900/1000 [00:42<00:58,  9.98it/s]");
        expect(2000, 3000, Confidence.MEDIUM);
    }

    @Test
    void theTotalFollowsFromStatedTimesToTheEnd() {
        for (int iter = 19; iter < 2000; iter += 20) {
            int left = (10_000 - iter) / 20;
            print("[11/19 20:00:00 d2.utils.events]:  eta: " + left / 3600 + ":" + twoDigits(left / 60 % 60) + ":"
                    + twoDigits(left % 60) + "  iter: " + iter + "  total_loss: 0.7  time: 0.05");
        }
        assertThat(output.progress().confidence()).isEqualTo(Confidence.MEDIUM);
        assertThat(output.progress().total()).isCloseTo(10_000, within(200L));
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }

    @Test
    void theLastRunSaysTheTotalOfTheSameCommand() {
        output = new AttemptOutput(RunLength.UNKNOWN, null, 600);
        print("iter 240: loss 3.10, time 251.33ms, mfu 39.10%");
        expect(240, 600, Confidence.MEDIUM);
    }

    @Test
    void stepsBeyondTheTotalMakeItUnknown() {
        output = of("python train.py --max_iters=200");
        print("iter 240: loss 3.10, time 251.33ms, mfu 39.10%");
        expect(240, 0, Confidence.LOW);
    }

    @Test
    void aPatternOfTheJobFileReplacesEverything() {
        output = new AttemptOutput(RunLength.UNKNOWN, new UserPattern("done (\\d+) of (\\d+)", 0), 0);
        print("Epoch 1/3");
        print("round done 7 of 70");
        expect(7, 70, Confidence.HIGH);
        output = new AttemptOutput(RunLength.UNKNOWN, new UserPattern("tick ([\\d,]+)", 5000), 0);
        print("tick 1,250");
        expect(1250, 5000, Confidence.HIGH);
    }

    @Test
    void aPatternThatBacktracksWithoutEndIsGivenUp() {
        output = new AttemptOutput(RunLength.UNKNOWN, new UserPattern("(a+)+$", 0), 0);
        print("1" + "a".repeat(300) + "b");
        print("aaa 1");
        assertThat(output.progress()).isEqualTo(OutputProgress.NONE);
    }

    @Test
    void aBarThatIsRedrawnAThousandTimesIsOneLine() {
        StringBuilder redrawn = new StringBuilder();
        for (int n = 0; n <= 1000; n++) {
            redrawn.append("\r ").append(n / 10).append("%|███▏ | ").append(n).append("/2000 [00:42<00:58,  9.98it/s]");
        }
        byte[] bytes = redrawn.append('\n').toString().getBytes(UTF_8);
        OutputLines lines = new OutputLines();
        assertThat(lines.split(bytes, bytes.length))
                .singleElement()
                .satisfies(line -> assertThat(line.text()).contains(" 1000/2000 "));
    }

    @Test
    void anyBytesAreHarmless() {
        Random random = new Random(1);
        byte[] bytes = new byte[20_000];
        for (int i = 0; i < 50; i++) {
            random.nextBytes(bytes);
            output.accept("stdout-0", bytes, random.nextInt(bytes.length), now);
        }
        print("iteration 5/10 | ");
        expect(5, 10, Confidence.HIGH);
    }

    @ParameterizedTest
    @CsvSource({
        "python train.py --max_iters=600, 600, 0",
        "python train.py config.py --max_iters=1_000, 1000, 0",
        "python -m x trainer.max_epochs=3 lr=1, 0, 3",
        "train SOLVER.MAX_ITER 90000, 90000, 0",
        "python a.py --num_train_epochs 3.0 --max_steps -1, 0, 3",
        "python a.py --steps 5; python b.py --steps 6, 0, 0",
        "python a.py --epochs $N, 0, 0",
        "python a.py epochs 5, 0, 0",
    })
    void aCommandStatesTheLengthOfItsRun(String command, long steps, double epochs) {
        assertThat(RunLength.of(command)).isEqualTo(new RunLength(steps, epochs));
    }

    /** Of a bar that is redrawn a thousand times a second only the last of a second counts. */
    @Test
    void aBarRedrawnAThousandTimesASecondDoesNoHarm() {
        output = of("python train.py --max_steps 60000");
        for (int second = 0; second < 30; second++) {
            StringBuilder bars = new StringBuilder();
            for (int redraw = 0; redraw < 1_000; redraw++) {
                int step = second * 1_000 + redraw + 1;
                bars.append(String.format(
                        Locale.ROOT,
                        "\rTraining:  %2d%%|####      | %d/60000 [00:%02d<01:00, 1000.00it/s]",
                        step * 100 / 60_000,
                        step,
                        second));
            }
            printRaw(bars.toString());
        }
        expect(29_999, 60_000, Confidence.HIGH);
        assertThat(output.progress().unitMicros()).isCloseTo(1_000, within(100L));
    }
}
