package dev.fermata.sim.trace.read;

import dev.fermata.core.policy.Registry;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.acme.Acme;
import dev.fermata.sim.trace.dally.Dally;
import dev.fermata.sim.trace.fermata.FermataCsv;
import dev.fermata.sim.trace.gavel.Gavel;
import dev.fermata.sim.trace.helios.Helios;
import dev.fermata.sim.trace.itp.Itp;
import dev.fermata.sim.trace.muri.Muri;
import dev.fermata.sim.trace.openb.OpenbPods;
import dev.fermata.sim.trace.pai.Pai;
import dev.fermata.sim.trace.philly.PhillyCsv;
import dev.fermata.sim.trace.philly.PhillyLog;
import dev.fermata.sim.trace.swf.Swf;
import dev.fermata.sim.trace.tiresias.Tiresias;
import java.util.List;
import java.util.Optional;

/** Every format there is. */
public final class TraceFormats {
    private static final Registry<TraceFormat> FORMATS = new Registry<>(
            "trace format",
            TraceFormat::name,
            List.of(
                    new FermataCsv(),
                    new PhillyCsv(),
                    new PhillyLog(),
                    new Itp(),
                    new Muri(),
                    new Helios(),
                    new Acme(),
                    new Pai(),
                    new OpenbPods(),
                    new Tiresias(),
                    new Gavel(),
                    new Dally(),
                    new Swf()));

    private TraceFormats() {}

    /** Adds the formats of plugins, in place of those installed before. Called once, before anything is read. */
    public static void install(List<TraceFormat> plugins) {
        FORMATS.install(plugins);
    }

    public static List<TraceFormat> all() {
        return FORMATS.all();
    }

    public static List<String> names() {
        return FORMATS.names();
    }

    public static TraceFormat named(String name) {
        return FORMATS.find(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "--format (" + name + ") is unknown." + Suggestion.didYouMean(name, names())));
    }

    /** The format of a file that begins so, if it is a trace at all. */
    public static Optional<TraceFormat> of(FileHead head) {
        return all().stream().filter(format -> format.matches(head)).findFirst();
    }

    /** The message names the formats that were tried. */
    static TraceException unknown(FileHead head) {
        return new TraceException(
                head.file(),
                1,
                "no known trace format; the first line is '" + head.firstLine()
                        + "'.\n--format NAME reads it as one of " + String.join(", ", names())
                        + "; docs/research/traces.md describes them.");
    }
}
