package dev.fermata.sim.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Profile;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ModelCatalogueTest {
    private static final List<String> TYPES =
            GpuCatalogue.known().stream().map(GpuType::name).toList();
    private static final int[] BATCHES = {1, 2, 3, 4, 8, 16, 24, 32, 48, 64, 100, 128, 200, 256, 512, 1024, 4096};

    static Stream<ModelProfile> all() {
        return ModelCatalogue.all().stream();
    }

    static Stream<ModelProfile> derivedFromH200() {
        return all().filter(m -> m.sources().time().startsWith("derived: H200"));
    }

    static Stream<ModelProfile> derivedFromRates() {
        return all().filter(m -> m.sources().time().matches("derived: (Gavel|ElasticFlow).*"));
    }

    static Stream<ModelProfile> withDerivedSpeeds() {
        return all().filter(m -> m.sources().exchange().contains("speeds derived"));
    }

    static Stream<ModelProfile> withBorrowedFigures() {
        return all().filter(m -> (m.sources().exchange() + m.sources().costs()).contains("assumed: like"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyFigureIsPlausible(ModelProfile model) {
        Costs costs = model.costs();
        assertThat(costs.preemptMillis()).isPositive();
        assertThat(costs.buildMillis()).isPositive();
        assertThat(costs.restoreMillis()).isPositive();
        assertThat(costs.warmupMillis()).isPositive();
        assertThat(model.reference().gradientMib()).isPositive();
        for (IterationMeasurement m : model.measurements()) {
            assertThat(TYPES).contains(m.gpu());
            assertThat(m.iterationMillis()).isPositive();
            assertThat(m.busyShare()).isBetween(0.0, 1.0);
        }
        for (int gpus : new int[] {1, 2, 3, 4, 8, 64}) {
            int before = 0;
            for (int batch : BATCHES) {
                Profile profile = model.at(batch, gpus);
                assertThat(profile.iterationMillis()).isPositive();
                assertThat(profile.busyShare()).isGreaterThan(0).isLessThanOrEqualTo(1);
                assertThat(profile.peakMemoryMib())
                        .as("memory at batch %d", batch)
                        .isPositive()
                        .isGreaterThanOrEqualTo(before);
                assertThat(TYPES).containsAll(profile.speedByType().keySet());
                before = profile.peakMemoryMib();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyFigureNamesItsSource(ModelProfile model) {
        assertThat(model.sources().time()).matches("(published|derived|assumed): .+");
        assertThat(model.sources().exchange()).contains("speeds ");
        assertThat(model.sources().costs()).matches("(measured: H200.*|assumed.*)");
        assertThat(model.measurements())
                .allMatch(m -> List.of("H200", "Xonar", "Gavel", "ElasticFlow").contains(m.source()));
        if (!model.batchSeries().equals("none")) {
            assertThat(model.measurements()).anyMatch(m -> m.source().equals(model.batchSeries()));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void gradientsAreFourBytesAParameter(ModelProfile model) {
        CatalogueTable.CatalogueRow line = CatalogueTable.read("gradients.csv").stream()
                .filter(l -> l.text("model").equals(model.name()))
                .findFirst()
                .orElseThrow();
        double mib = line.number("parameters_m") * 1e6 * 4 / 1048576;

        assertThat(model.reference().gradientMib()).isEqualTo(mib, offset(0.6));
    }

    /** Busy time of models without a measurement on the reference GPU: our measurement, times the H200's speed. */
    @ParameterizedTest
    @MethodSource("derivedFromH200")
    void timesDerivedFromH200AreScaledByTheSpeed(ModelProfile model) {
        double h200Rows = measured(model, "H200", model.batch()).iterationMillis();
        double active = model.reference().iterationMillis() * model.reference().busyShare();

        assertThat(active).isCloseTo(h200Rows * GpuCatalogue.byName("H200").speed(), withinPercentage(1));
        assertThat(model.reference().peakMemoryMib())
                .isCloseTo(measured(model, "H200", model.batch()).memoryMib(), withinPercentage(1.2));
    }

    @ParameterizedTest
    @MethodSource("derivedFromRates")
    void timesDerivedFromRatesAreTheirInverse(ModelProfile model) {
        if (model.sources().time().contains("Gavel")) {
            double millis = measured(model, "V100", model.batch()).iterationMillis();
            double target = model.name().equals("lm")
                    ? model.reference().iterationMillis() * model.reference().busyShare() // idle comes on top
                    : model.reference().iterationMillis();
            assertThat(target).isCloseTo(millis, withinPercentage(1.5));
        } else {
            double millis = measured(model, "A100", model.batch()).iterationMillis();
            assertThat(model.reference().iterationMillis())
                    .isCloseTo(millis * GpuCatalogue.byName("A100").speed(), withinPercentage(1));
        }
    }

    @ParameterizedTest
    @MethodSource("withDerivedSpeeds")
    void speedsDerivedFromRatesAreTheirRatios(ModelProfile model) {
        Matcher stated = Pattern.compile("speeds derived: Gavel (\\S+) batch (\\d+)")
                .matcher(model.sources().exchange());
        assertThat(stated.find()).isTrue();
        int batch = Integer.parseInt(stated.group(2));
        for (String type : ThroughputTable.COMPARED) {
            double ratio = rate(stated.group(1), batch, type) / rate(stated.group(1), batch, ThroughputTable.REFERENCE);
            assertThat(model.reference().speedByType().get(type)).isEqualTo(ratio, offset(0.006));
        }
    }

    @ParameterizedTest
    @MethodSource("withBorrowedFigures")
    void borrowedFiguresEqualTheirSource(ModelProfile model) {
        Matcher costs = Pattern.compile("like (\\S+)").matcher(model.sources().costs());
        if (costs.find()) {
            assertThat(model.costs())
                    .isEqualTo(ModelCatalogue.named(costs.group(1)).costs());
        }
        Matcher speeds = Pattern.compile("speeds assumed: like (\\S+)")
                .matcher(model.sources().exchange());
        if (speeds.find()) {
            assertThat(model.reference().speedByType())
                    .isEqualTo(ModelCatalogue.named(speeds.group(1)).reference().speedByType());
        }
    }

    @Test
    void aMeasuredBatchHasTheMeasuredFigures() {
        Profile profile = ModelCatalogue.named("resnet50").at(128, 1);

        assertThat(profile.iterationMillis()).isEqualTo(338 + 197, offset(1e-9));
        assertThat(profile.busyShare()).isEqualTo(338 / 535.0, offset(1e-12));
        assertThat(profile.peakMemoryMib()).isCloseTo(16_986, withinPercentage(0.2));
        assertThat(profile.speedOn(GpuCatalogue.byName("K80"))).isEqualTo(0.3472 / 2.497, offset(1e-12));
    }

    @Test
    void interpolationBetweenMeasuredBatchesIsLinear() {
        ModelProfile model = ModelCatalogue.named("vit-b16");
        double middle = (model.at(128).iterationMillis() + model.at(256).iterationMillis()) / 2;

        assertThat(model.at(192).iterationMillis()).isEqualTo(middle, offset(1e-9));
        assertThat(model.at(1)).isEqualTo(model.at(32));
        assertThat(model.at(512).iterationMillis()).isGreaterThan(model.at(256).iterationMillis() * 1.9);
    }

    @Test
    void theDefaultBatchIsTheReference() {
        ModelProfile model = ModelCatalogue.named("resnet50");

        assertThat(model.at(64)).isSameAs(model.reference());
        assertThat(model.at(64, 1).iterationMillis())
                .isEqualTo(model.reference().iterationMillis());
        assertThat(model.at(64, 1).speedByType()).containsEntry("P100", 2.619 / 4.395);
    }

    @Test
    void theLargestBatchThatFitsIsOneThatWasMeasured() {
        ModelProfile gpt = ModelCatalogue.named("gpt2-124m");

        assertThat(gpt.largestBatch(60_000)).isEqualTo(32);
        assertThat(gpt.largestBatch(30_000)).isEqualTo(16);
        assertThat(gpt.largestBatch(10_000)).isEqualTo(4);
        assertThat(gpt.largestBatch(1_000)).isZero();
    }

    @Test
    void speedsFollowTheSizeOfTheGang() {
        ModelProfile lm = ModelCatalogue.named("lm");

        assertThat(lm.at(80, 4).speedByType()).containsEntry("P100", 55.0 / 74.81);
        assertThat(lm.at(80, 5).speedByType()).isEqualTo(lm.at(80, 4).speedByType());
        // it does not run there for want of memory, so no speed is claimed
        assertThat(ModelCatalogue.named("resnet50").at(128, 2).speedByType()).containsOnlyKeys("P100");
        assertThat(ThroughputTable.cannotRun("resnet50", 128, "K80", 2)).isTrue();
        assertThat(ThroughputTable.cannotRun("resnet50", 128, "K80", 1)).isFalse();
        assertThat(ThroughputTable.scatteredRatio("lm", 80, "V100", 4)).hasValue(0.356);
    }

    @Test
    void everyThroughputRowIsOfAModelOfTheCatalogue() {
        assertThat(ModelCatalogue.names()).containsAll(ThroughputTable.models());
    }

    @ParameterizedTest
    @CsvSource({
        "ResNet-50,0,resnet50,0",
        "resnet_50,64,resnet50,64",
        "ResNet-18 (batch size 128),0,resnet18,128",
        "LM (batch size 5),0,lm,5",
        "Recommendation (batch size 8192),0,recommendation,8192",
        "A3C,0,a3c,0",
        "CycleGAN,0,cyclegan,0",
        "shufflenet_v2_x1_0,128,shufflenet2,128",
        "BERT,32,bert-large,32",
        "bert_large,8,bert-large,8",
        "GPT2,4,gpt2-124m,4",
        "a2c,64,a2c,64",
        "DQN,128,dqn,128",
        "MobileNetV3,32,mobilenet3,32",
        "AlexNet,32,alexnet,32",
        "VGG,32,vgg11,32",
        "vgg19,16,vgg19,16",
        "inception4,0,inception4,0",
        "googlenet,0,googlenet,0",
        "resnet101,0,resnet101,0"
    })
    void namesAreFoundInAnySpelling(String written, int batch, String model, int expected) {
        ModelCatalogue.ModelMatch found = ModelCatalogue.find(written, batch).orElseThrow();

        assertThat(found.model().name()).isEqualTo(model);
        assertThat(found.batch()).isEqualTo(expected);
        assertThat(found.isRelated()).isFalse();
    }

    @Test
    void aRelatedModelIsMarkedAsRelated() {
        ModelCatalogue.ModelMatch found = ModelCatalogue.find("XLNet", 0).orElseThrow();

        assertThat(found.isRelated()).isTrue();
        assertThat(found.model()).isEqualTo(ModelCatalogue.named("bert-large"));
        assertThat(ModelCatalogue.find("no such model", 0)).isEmpty();
        assertThat(ModelCatalogue.find("", 0)).isEmpty();
    }

    @Test
    void generatedWorkloadsAreMadeOfTwelveModels() {
        assertThat(ModelCatalogue.generated()).hasSize(12);
        assertThat(ModelCatalogue.generated().stream()
                        .mapToDouble(m -> m.shares().generated())
                        .sum())
                .isEqualTo(1, offset(1e-9));
        assertThat(ModelCatalogue.named("resnet50").reference().speedByType())
                .isEqualTo(Map.of("P100", 0.60, "K80", 0.14));
    }

    private static IterationMeasurement measured(ModelProfile model, String gpu, int batch) {
        return model.measurements().stream()
                .filter(m -> m.gpu().equals(gpu) && m.batch() == batch)
                .findFirst()
                .orElseThrow();
    }

    private static double rate(String model, int batch, String type) {
        return ThroughputTable.stepsPerSecond(model, batch, type, 1).orElseThrow();
    }
}
