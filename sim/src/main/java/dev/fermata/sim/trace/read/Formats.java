package dev.fermata.sim.trace.read;

import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.trace.Head;
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
public final class Formats {
    private static final List<TraceFormat> ALL = List.of(
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
            new Swf());

    private Formats() {}

    public static List<TraceFormat> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(TraceFormat::name).toList();
    }

    public static TraceFormat named(String name) {
        return ALL.stream()
                .filter(format -> format.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--format (" + name + ") is unknown." + Suggest.among(name, names())));
    }

    /** The format of a file that begins so, if it is a trace at all. */
    public static Optional<TraceFormat> of(Head head) {
        return ALL.stream().filter(format -> format.recognises(head)).findFirst();
    }

    /** Says what was looked for. */
    static TraceException unknown(Head head) {
        return new TraceException(
                head.file(),
                1,
                "no known trace format; the first line is '" + head.firstLine()
                        + "'.\n--format NAME reads it as one of " + String.join(", ", names())
                        + "; docs/traces.md tells them apart.");
    }
}
