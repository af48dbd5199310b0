package dev.fermata.live.spec;

import dev.fermata.core.text.Quantity;
import dev.fermata.live.spec.DocumentFields.ValueForm;
import dev.fermata.live.spec.EngineSpec.KubernetesSpec;
import dev.fermata.live.spec.EngineSpec.SlurmSpec;
import dev.fermata.live.spec.EngineSpec.Volume;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses {@code image}, {@code slurm} and {@code kubernetes} of a job document. It knows forms, not which names exist. */
final class EngineSpecParser {
    private static final int MAX_ENTRIES = 100;
    /** What a reference to an image may contain: host, path, tag and digest. */
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./:@-]{0,511}");

    /** No leading dash: an engine may pass it to a command. */
    private static final Pattern SLURM_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.,@-]{0,127}");

    private static final Pattern CONSTRAINT = Pattern.compile("[A-Za-z0-9_\\[(][A-Za-z0-9_.,&|*()\\[\\]-]{0,255}");
    private static final Pattern DNS_NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern LABEL =
            Pattern.compile("([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern LABEL_VALUE = Pattern.compile("([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?");
    private static final Pattern VOLUME =
            Pattern.compile("([a-z0-9][a-z0-9.-]{0,252}):(/[^:\\p{Cntrl}]{0,1023})(:ro)?");

    private EngineSpecParser() {}

    static EngineSpec parse(DocumentFields job) {
        return new EngineSpec(
                form(job, "image", IMAGE, "an image such as registry/train:2.1"), slurm(job), kubernetes(job));
    }

    private static SlurmSpec slurm(DocumentFields job) {
        DocumentFields slurm = job.child("slurm");
        SlurmSpec read = new SlurmSpec(
                form(slurm, "partition", SLURM_NAME, "the name of a partition"),
                form(slurm, "account", SLURM_NAME, "the name of an account"),
                form(slurm, "qos", SLURM_NAME, "the name of a QOS"),
                form(slurm, "constraint", CONSTRAINT, "features such as nvlink&ib"),
                form(slurm, "reservation", SLURM_NAME, "the name of a reservation"));
        slurm.rejectUnknown();
        return read;
    }

    private static KubernetesSpec kubernetes(DocumentFields job) {
        DocumentFields kubernetes = job.child("kubernetes");
        Map<String, String> selector = new TreeMap<>();
        kubernetes.entries("nodeSelector", (label, value) -> {
            String path = kubernetes.path("nodeSelector") + "." + DocumentFields.displayName(label);
            if (!LABEL.matcher(label).matches() || !LABEL_VALUE.matcher(value).matches()) {
                throw new IllegalArgumentException(path + " must be a label and its value, such as zone: a");
            }
            selector.put(label, value);
        });
        if (selector.size() > MAX_ENTRIES) {
            kubernetes.reject("nodeSelector", "has more than " + MAX_ENTRIES + " entries");
        }
        KubernetesSpec read = new KubernetesSpec(
                form(kubernetes, "namespace", DNS_NAME, "the name of a namespace"),
                form(kubernetes, "serviceAccount", DNS_NAME, "the name of a service account"),
                selector,
                kubernetes.list(
                        "volumes", MAX_ENTRIES, ValueForm.TEXT, text -> volume(kubernetes.path("volumes"), text)));
        kubernetes.rejectUnknown();
        return read;
    }

    private static Volume volume(String path, String text) {
        Matcher m = VOLUME.matcher(text.strip());
        if (!m.matches()) {
            throw Quantity.invalid(
                    path, DocumentFields.abbreviate(text), "must be CLAIM:PATH, or CLAIM:PATH:ro for read-only");
        }
        return new Volume(m.group(1), m.group(2), m.group(3) != null);
    }

    private static String form(DocumentFields fields, String key, Pattern form, String what) {
        return fields.text(key, "", text -> {
            if (!form.matcher(text.strip()).matches()) {
                throw Quantity.invalid(fields.path(key), DocumentFields.abbreviate(text), "must be " + what);
            }
            return text.strip();
        });
    }
}
