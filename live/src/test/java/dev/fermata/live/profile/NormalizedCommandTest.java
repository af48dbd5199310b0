package dev.fermata.live.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that share a profile key. */
class NormalizedCommandTest {
    private static JobSpec spec(String run, Map<String, String> env) {
        ObjectNode file = JsonNodeFactory.instance.objectNode().put("run", run);
        env.forEach(file.putObject("env")::put);
        return JobFileParser.parse(file).get(0);
    }

    private static NormalizedCommand of(String run) {
        return NormalizedCommand.of(spec(run, Map.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "python train.py | train.py",
                "python3 -u /srv/code/train.py --seed 7 | train.py",
                "python train.py --lr=0.1 --epochs 90 --output /scratch/run-17 | train.py",
                "python train.py --batch-size 64 --amp | train.py --amp --batch-size=64",
                "python train.py --amp --batch_size=64 --seed=$RANDOM | train.py --amp --batch-size=64",
                "torchrun --nproc_per_node=8 train.py --data /data/imagenet/ | train.py --data=imagenet",
                "cd /work && OMP_NUM_THREADS=4 exec python train.py 2 | train.py 2",
                "python -m torch.distributed.run | torch.distributed.run",
                "python train.py --api-token abc --notes 'a b' | train.py",
                "sleep 30 | sleep 30",
                "true | true",
                "set -e; mkdir -p out; ./train --depth 3; echo done | train --depth=3",
                "python train.py > /scratch/run-17.log 2>&1 | train.py",
                "python train.py &>> log & wait | train.py",
                "for i in 1 2; do ./X --depth 3; done | for i in 1 2; X --depth=3",
                "if true; then ./X; fi | if true; X",
                "while true; do ./small; break; done | while true; small",
                "(cd /tmp; ./small) | small",
                "for i in $(seq 40); do sleep 1; done | for i in $; seq 40; sleep 1",
                "./big && python report.py | big; report.py",
                "{ ./train 1> out; } | train",
            })
    void commandIsNormalized(String run, String command) {
        assertThat(of(run).command()).isEqualTo(command);
    }

    /** Otherwise one program would get the memory reservation of the other. */
    @Test
    void programsWithTheSameLogHaveDifferentKeys() {
        assertThat(of("./small | tee x.log").command()).isEqualTo("small");
        assertThat(of("./big 2>&1 | tee x.log").command()).isEqualTo("big");
        assertThat(of("accelerate launch -m pkg.train --bs 4 2>&1 | tee x.log").command())
                .isEqualTo("accelerate launch --bs=4 --m=pkg.train");
    }

    @Test
    void modelIsReadFromAnOptionOrAVariable() {
        assertThat(of("python train.py --arch resnet50 -o x")).isEqualTo(new NormalizedCommand("train.py", "resnet50"));
        assertThat(of("python train.py --model_name_or_path=/models/llama-7b/").model())
                .isEqualTo("llama-7b");
        assertThat(NormalizedCommand.of(spec("python train.py", Map.of("MODEL", "bert")))
                        .model())
                .isEqualTo("bert");
    }

    @Test
    void setupCommandsOfAScriptAreIgnored() {
        NormalizedCommand words = of("""
                #!/bin/bash
                # python old.py
                set -e
                module load cuda
                python prepare.py --seed 1
                python train.py \\
                  --depth 12 \\
                  --seed 3
                echo done
                """);

        assertThat(words.command()).isEqualTo("prepare.py; train.py --depth=12");
    }

    @Test
    void secretsAreNotPartOfTheCommand() {
        JobSpec spec = spec("python train.py --key hunter2hunter2", Map.of("MY_TOKEN", "hunter2hunter2"));

        assertThat(NormalizedCommand.of(spec).command()).doesNotContain("hunter2");
    }

    @Test
    void longCommandsDifferByTheirChecksum() {
        String code = "x = 1; ".repeat(80);
        String first = of("python -c '" + code + "a'").command();
        String second = of("python -c '" + code + "b'").command();

        assertThat(first).isNotEqualTo(second).hasSizeLessThan(310);
    }
}
