package dev.fermata.live.conductor;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.KindRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was learned of kinds of jobs, asked and taught for jobs of this cluster. Belongs to the conductor's thread. */
final class Experience {
    private static final Logger LOG = LoggerFactory.getLogger(Experience.class);
    /** As many as a restart may read; those nobody ran for longest are forgotten first. */
    private static final int KINDS = 5_000;

    final KindBook book;
    private final Topology topology;

    private Experience(KindBook book, Topology topology) {
        this.book = book;
        this.topology = topology;
    }

    /** As the store has it. Without it costs are assumed, nothing more. */
    static Experience from(Store.Reader reader, Topology topology, ConductorSettings settings) {
        KindBook book = new KindBook(settings.costs());
        try {
            book.recall(reader.kinds(KINDS));
        } catch (StoreException e) {
            LOG.warn("what was learned of earlier jobs cannot be read: {}", e.getMessage());
        }
        return new Experience(book, topology);
    }

    /** What is believed of a job before it is known where it will run: as if on the first type that it accepts, at its full size. */
    Knowledge of(JobSpec spec) {
        return of(Kind.of(spec, "", 0), spec);
    }

    /** The same of a job whose command and model are known. */
    Knowledge of(Kind family, JobSpec spec) {
        return book.knowledge(family.on(typeFor(spec), spec.maxGpus()));
    }

    private String typeFor(JobSpec spec) {
        for (GpuType type : topology.types()) {
            if (spec.accelerators().isEmpty() || spec.accelerators().stream().anyMatch(type.name()::equalsIgnoreCase)) {
                return type.name();
            }
        }
        return "";
    }

    /** The kind that an attempt on these GPUs is of. */
    Kind kind(Kind family, Allocation allocation) {
        GpuType type = topology.types().get(topology.typeOf(allocation.gpu(0)));
        return family.on(type.name(), allocation.size());
    }

    /** Takes note of what an attempt showed; answers with what is to be written down. */
    List<KindRow> learn(Kind kind, Measured measured, long nowMillis) {
        return book.learn(kind, measured, nowMillis);
    }
}
