package dev.fermata.live.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.RunFeatures;
import dev.fermata.live.spec.JobFileParser;
import org.junit.jupiter.api.Test;

class CommandFeaturesTest {
    private static RunFeatures features(String command, String... env) {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("run", command);
        for (String name : env) {
            job.withObject("/env").put(name, "1");
        }
        return CommandFeatures.of(JobFileParser.parse(job).get(0));
    }

    @Test
    void theLengthOfARunIsNoOption() {
        RunFeatures found = features("python train.py --max_iters=600 --hidden 128 --seed 3 --lr=0.1");
        assertThat(found.steps()).isEqualTo(600);
        assertThat(found.program()).isEqualTo("train.py");
        assertThat(found.options()).containsOnlyKeys("--hidden", "gpus");
        assertThat(features("python -m lab.fit trainer.max_epochs=3").epochs()).isEqualTo(3);
    }

    @Test
    void runsOfAnotherLengthAreAsClose() {
        RunFeatures one = features("python train.py --max_iters=600 --hidden 128");
        assertThat(one.distance(features("python train.py --max_iters=6 --hidden 128")))
                .isZero();
        assertThat(one.distance(features("python train.py --max_iters=600 --hidden 512")))
                .isGreaterThan(one.distance(features("python train.py --max_iters=600 --hidden 256")));
        assertThat(one.group())
                .isNotEqualTo(features("python train.py --hidden 128").group());
    }

    @Test
    void secretsArePartOfNoFeature() {
        assertThat(features("python train.py --api_key=abcdef123456 --epochs 2").toString())
                .doesNotContain("abcdef123456");
    }

    @Test
    void aRunForAProfileTeachesNoRunTime() {
        assertThat(features("python train.py --max_iters=600", CommandFeatures.PROFILE_STEPS))
                .isEqualTo(RunFeatures.NONE);
    }
}
