package dev.fermata.sim.profile;

import dev.fermata.core.model.Profile;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The training jobs that the Xonar authors profiled: active and idle milliseconds of an iteration and GPU memory. They
 * are listed by data set, model and batch size, for synchronous training with two parameter servers and two workers on
 * V100 GPUs of 32 GB.
 *
 * <p>Figures re-typed from the profile tables in the authors' repository (github.com/pengujoa/Xonar, first worker), rounded
 * to milliseconds and tenths of a gibibyte. Idle time includes the traffic with the parameter servers.
 */
public final class XonarProfiles {
    public static final List<Integer> BATCHES = List.of(32, 64, 128, 256, 512);
    private static final String OUT_OF_MEMORY = "OoM";

    /** One model on one data set; a batch size that does not even fit alone has no profile. */
    public record XonarProfile(String dataset, String model, Map<Integer, Profile> byBatch) {}

    private static final List<XonarProfile> ALL = List.of(
            //  data set  model       batch 32, 64, 128, 256, 512: active ms/idle ms/GiB
            row("cifar10", "alexnet", "23/21/0.8", "23/19/1.0", "24/21/1.4", "22/21/2.1", "23/23/3.6"),
            row("cifar10", "densenet100k12", "279/54/4.6", "291/99/8.6", "360/159/16.7", "495/386/30.4", "OoM"),
            row("cifar10", "densenet100k24", "327/75/8.6", "410/142/16.6", "493/354/30.4", "OoM", "OoM"),
            row("cifar10", "densenet40k12", "149/15/1.1", "129/19/1.7", "122/48/2.7", "138/59/4.8", "293/38/8.9"),
            row("cifar10", "resnet110", "277/35/1.1", "267/38/1.7", "276/35/2.7", "280/42/4.8", "277/99/8.9"),
            row("cifar10", "resnet110v2", "246/32/1.1", "249/20/1.7", "218/44/2.7", "226/77/4.8", "257/117/8.9"),
            row("cifar10", "resnet20", "59/6/0.8", "56/9/0.9", "61/8/1.2", "56/14/1.8", "63/23/2.9"),
            row("cifar10", "resnet20v2", "46/9/0.8", "50/8/0.9", "56/11/1.2", "51/14/1.8", "63/18/2.9"),
            row("cifar10", "resnet32", "90/9/0.8", "89/16/0.9", "82/26/1.2", "85/21/1.8", "89/30/2.9"),
            row("cifar10", "resnet32v2", "71/19/0.8", "85/22/0.9", "75/14/1.2", "77/25/1.8", "98/27/2.9"),
            row("cifar10", "resnet44", "124/16/0.9", "123/14/0.9", "121/6/1.2", "111/33/1.8", "121/35/2.9"),
            row("cifar10", "resnet44v2", "107/26/0.9", "116/14/0.9", "114/18/1.2", "119/18/1.8", "118/45/2.9"),
            row("cifar10", "resnet56", "136/19/0.9", "137/19/1.2", "144/22/1.7", "132/29/2.8", "167/46/4.9"),
            row("cifar10", "resnet56v2", "138/8/0.9", "132/13/1.2", "124/14/1.7", "137/19/2.8", "145/55/4.9"),
            row("cifar10", "vgg16", "187/249/4.6", "190/236/4.6", "182/258/4.6", "187/253/6.1", "182/265/7.7"),
            row("imagenet", "alexnet", "346/555/2.6", "347/577/2.6", "334/569/2.6", "334/570/4.6", "342/581/8.6"),
            row("imagenet", "googlenet", "114/28/2.6", "120/33/4.6", "139/69/4.9", "166/180/16.6", "227/394/17.6"),
            row("imagenet", "inception3", "283/58/8.6", "303/148/8.6", "463/293/16.6", "857/541/30.4", "OoM"),
            row("imagenet", "inception4", "421/123/8.6", "545/282/16.6", "926/522/30.4", "OoM", "OoM"),
            row("imagenet", "overfeat", "884/1589/8.6", "910/1600/8.6", "911/1514/8.6", "938/1559/8.6", "948/1656/8.6"),
            row("imagenet", "resnet101", "354/78/8.6", "397/132/16.6", "577/293/30.4", "OoM", "OoM"),
            row("imagenet", "resnet101v2", "333/52/8.6", "378/126/16.6", "559/290/30.4", "OoM", "OoM"),
            row("imagenet", "resnet152", "517/70/8.6", "572/173/16.6", "871/361/30.4", "OoM", "OoM"),
            row("imagenet", "resnet152v2", "502/67/8.6", "556/163/16.6", "841/353/30.4", "OoM", "OoM"),
            row("imagenet", "resnet50", "197/50/4.6", "236/85/8.6", "338/197/16.6", "889/61/30.4", "OoM"),
            row("imagenet", "resnet50v2", "183/45/4.6", "226/87/8.6", "313/211/16.6", "781/189/30.4", "OoM"),
            row("imagenet", "vgg11", "895/1400/8.7", "864/1500/8.8", "845/1447/16.9", "897/1480/30.4", "OoM"),
            row("imagenet", "vgg16", "886/1405/8.9", "855/1487/16.9", "897/1462/17.1", "968/1515/30.4", "OoM"),
            row("imagenet", "vgg19", "879/1470/8.8", "920/1459/16.9", "872/1497/17.1", "1017/1625/30.4", "OoM"));

    private XonarProfiles() {}

    public static List<XonarProfile> all() {
        return ALL;
    }

    public static List<XonarProfile> of(String dataset) {
        return ALL.stream().filter(row -> row.dataset.equals(dataset)).toList();
    }

    private static XonarProfile row(String dataset, String model, String... cells) {
        Map<Integer, Profile> byBatch = new TreeMap<>();
        for (int i = 0; i < cells.length; i++) {
            if (!cells[i].equals(OUT_OF_MEMORY)) {
                int batch = BATCHES.get(i);
                byBatch.put(batch, profile(dataset + "-" + model + "-b" + batch, cells[i]));
            }
        }
        return new XonarProfile(dataset, model, Collections.unmodifiableMap(byBatch));
    }

    /** A profile out of {@code active ms/idle ms/GiB}. */
    static Profile profile(String name, String cell) {
        String[] parts = cell.split("/", -1);
        double active = Double.parseDouble(parts[0]);
        double idle = Double.parseDouble(parts[1]);
        int memoryMib = (int) Math.round(Double.parseDouble(parts[2]) * 1024);
        return new Profile(name, active + idle, active / (active + idle), 0, 1, memoryMib, Map.of());
    }
}
