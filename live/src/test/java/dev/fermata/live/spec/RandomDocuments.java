package dev.fermata.live.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random job documents: valid ones, and valid ones with one defect. */
final class RandomDocuments {
    private RandomDocuments() {}

    static ObjectNode random(Random r) {
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        job.put("run", pick(r, "python train.py", "#!/bin/bash\necho hi\n", "true && false", "ü — 漢字"));
        maybe(r, () -> job.put("apiVersion", "v1"));
        maybe(r, () -> job.put("name", pick(r, "bert", "a b c", "ü", "x".repeat(200), "7")));
        maybe(r, () -> job.put("queue", pick(r, "default", "a/b", "research/nlp/x-1_2.3")));
        maybe(r, () -> job.put("class", pick(r, "batch", "trial")));
        maybe(r, () -> {
            if (r.nextBoolean()) {
                job.put("gpus", 1 + r.nextInt(64));
            } else {
                job.putObject("gpus").put("min", 1 + r.nextInt(8)).put("max", 8 + r.nextInt(8));
            }
        });
        maybe(r, () -> job.putArray("accelerators").add("H100").add("RTX 3090"));
        maybe(r, () -> job.put("gpuMemory", pick(r, "auto", "40GiB", "512MiB", "0.5tib")));
        maybe(r, () -> job.put("cpus", r.nextInt(64) / 4.0));
        maybe(r, () -> job.put("memory", pick(r, "64GiB", "1 TiB")));
        maybe(r, () -> job.put("splitBatch", r.nextBoolean()));
        maybe(r, () -> job.put("time", time(r)));
        maybe(r, () -> job.put("limit", time(r)));
        maybe(r, () -> job.put("priority", r.nextInt(200) - 100));
        maybe(r, () -> job.put("hold", r.nextBoolean()));
        maybe(
                r,
                () -> job.putObject("locality")
                        .put(pick(r, "scope", "want"), pick(r, "node", "rack", "any"))
                        .put("wait", pick(r, "auto", "none", "10m")));
        maybe(
                r,
                () -> job.putObject("preempt")
                        .put("grace", time(r))
                        .put("minRuntime", time(r))
                        .put("maxTimes", r.nextInt(9))
                        .put("onPreempt", pick(r, "requeue", "hold", "cancel")));
        maybe(
                r,
                () -> job.putObject("checkpoint")
                        .put("signal", pick(r, "TERM", "USR1", "USR2", "INT"))
                        .put("dir", pick(r, "ckpt", "/data/x"))
                        .put("every", time(r)));
        maybe(
                r,
                () -> job.putArray("after")
                        .add(r.nextInt(1000))
                        .add(r.nextInt(1000) + pick(r, ":any", ":success", ":failure")));
        maybe(r, () -> job.put("array", pick(r, "0-3", "1,5,9%2", "0-20:5")));
        maybe(r, () -> {
            if (r.nextBoolean()) {
                job.put("ranks", 1 + r.nextInt(8));
            } else {
                job.put("ranks", pick(r, "gpus", "nodes"));
            }
        });
        maybe(r, () -> job.put("image", pick(r, "train", "registry.example:5000/nlp/train:2.1", "a@sha256:0f")));
        maybe(
                r,
                () -> job.putObject("slurm")
                        .put("partition", pick(r, "gpu", "a,b"))
                        .put("account", "nlp")
                        .put("qos", "high")
                        .put("constraint", pick(r, "nvlink", "[rack1|rack2]&ib*2"))
                        .put("reservation", "maint_7"));
        maybe(r, () -> {
            ObjectNode kubernetes = job.putObject("kubernetes").put("namespace", "ml");
            kubernetes.put("serviceAccount", "trainer");
            kubernetes.putObject("nodeSelector").put("example.com/zone", "a");
            kubernetes.putArray("volumes").add("data:/data:ro").add("scratch:/mnt/x");
        });
        maybe(r, () -> {
            job.putObject("env")
                    .put("LR", "1e-4")
                    .put("N", r.nextInt(9))
                    .put("API_KEY", "k")
                    .put("OTHER", "line\nbreak");
            maybe(r, () -> job.putArray("secrets").add("OTHER"));
        });
        maybe(r, () -> job.put("workdir", "/tmp/x"));
        return job;
    }

    /** One part is replaced by something odd, dropped, or moved to a wrong place. */
    static ObjectNode breakDocument(ObjectNode good, Random r) {
        ObjectNode job = good.deepCopy();
        List<ObjectNode> places = new ArrayList<>(List.of(job));
        job.properties().forEach(part -> {
            if (part.getValue() instanceof ObjectNode below && !part.getKey().equals("env")) {
                places.add(below);
            }
        });
        ObjectNode place = places.get(r.nextInt(places.size()));
        List<String> keys = new ArrayList<>();
        place.fieldNames().forEachRemaining(keys::add);
        if (keys.isEmpty() || r.nextInt(5) == 0) {
            place.put("unheard", 1);
        } else {
            place.set(keys.get(r.nextInt(keys.size())), unexpectedValue(r));
        }
        return job;
    }

    private static JsonNode unexpectedValue(Random r) {
        JsonNodeFactory f = JsonNodeFactory.instance;
        return switch (r.nextInt(8)) {
            case 0 -> f.numberNode(-1);
            case 1 -> f.numberNode(1e300);
            case 2 -> f.textNode("");
            case 3 -> f.textNode("nonsense!");
            case 4 -> f.arrayNode().add(f.objectNode());
            case 5 -> f.objectNode().put("x", 1);
            case 6 -> f.textNode("y".repeat(5000));
            default -> f.booleanNode(true);
        };
    }

    private static String time(Random r) {
        return (1 + r.nextInt(500)) + pick(r, "", "s", "m", "h", "ms", " s");
    }

    private static String pick(Random r, String... options) {
        return options[r.nextInt(options.length)];
    }

    private static void maybe(Random r, Runnable action) {
        if (r.nextInt(3) > 0) {
            action.run();
        }
    }
}
