package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is said of an attempt at its end, and what is done about processes that nothing can end. */
final class Farewell {
    private static final Logger LOG = LoggerFactory.getLogger(Farewell.class);

    private final Shop shop;
    private final Launch launch;
    private final Remains remains;
    private final long paceMicro;
    private boolean stuckDeclared;

    Farewell(Shop shop, Launch launch, Remains remains, long paceMicro) {
        this.shop = shop;
        this.launch = launch;
        this.remains = remains;
        this.paceMicro = paceMicro;
    }

    /** Takes GPUs out of service whose processes are still there after everything was tried. */
    synchronized void declareStuck(Sweep.Rest rest) {
        if (!rest.stuck().isEmpty() && !stuckDeclared) {
            stuckDeclared = true;
            Set<Integer> gpus = new HashSet<>();
            for (int i = 0; i < launch.allocation().size(); i++) {
                gpus.add(launch.allocation().gpu(i));
            }
            new StuckGpus(shop, gpus, launch.jobId() + "." + launch.attempt()).declare(remains.sweep());
        }
    }

    String detail(Ending ending, long limitMillis, String swept) {
        return Detail.of(ending, launch, limitMillis, remains.group().outOfMemoryKills(), lastWords(), swept);
    }

    /** Its end, as the conductor is told. */
    News.Happened news(Ending ending, long orderedMillis, long runEndMillis, String detail) {
        Usage usage = ending.usage(
                orderedMillis,
                runEndMillis,
                System.currentTimeMillis(),
                launch.savedWorkMillis(),
                launch.spec().checkpoint().everyMillis(),
                paceMicro);
        int signal = ending.signal();
        return new News.Happened(
                new Event.Left(launch.jobId(), launch.attempt(), ending.outcome(), usage),
                new News.Exit(signal > 0 ? null : ending.code(), signal, detail));
    }

    /** The last line on standard error, of the first rank that has one. */
    private String lastWords() {
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String line = shop.logs().lastLine(launch.jobId(), launch.attempt(), "stderr", rank);
                if (!line.isEmpty()) {
                    return line;
                }
            }
        } catch (IOException e) {
            LOG.debug("job {}.{}: cannot read what it printed", launch.jobId(), launch.attempt(), e);
        }
        return "";
    }
}
