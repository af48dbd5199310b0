package dev.fermata.app.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The history as one JSON object per line, written as it happens. Times are seconds of virtual time. */
public final class EventLines {
    private final WholeFile file;
    private final JsonGenerator json;
    private final Map<Long, String> names = new HashMap<>();

    public EventLines(WholeFile file) {
        this.file = file;
        try {
            json = new JsonFactory().createGenerator(file.writer());
        } catch (IOException e) {
            throw file.failed(e);
        }
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    }

    public void write(long nowMillis, Fact fact) {
        try {
            json.writeStartObject();
            json.writeNumberField("time", BigDecimal.valueOf(nowMillis, 3));
            json.writeStringField("kind", fact.getClass().getSimpleName().toLowerCase(Locale.ROOT));
            if (fact instanceof Fact.Submitted f) {
                names.put(f.jobId(), f.job().name());
            } else if (fact instanceof Fact.Refused f) {
                names.put(f.jobId(), f.job().name());
            } else if (fact instanceof Fact.Changed f) {
                names.put(f.jobId(), f.job().name());
            }
            if (fact.jobId() >= 0) {
                json.writeNumberField("job", fact.jobId());
                json.writeStringField("name", names.getOrDefault(fact.jobId(), ""));
            }
            details(fact);
            json.writeEndObject();
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    /** Ends the last line. */
    public void finish() {
        try {
            json.flush();
            file.writer().write('\n');
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    private void details(Fact fact) throws IOException {
        if (fact instanceof Fact.Submitted f) {
            job(f.job());
        } else if (fact instanceof Fact.Refused f) {
            job(f.job());
            json.writeStringField("reason", f.verdict().reason().name());
            json.writeStringField("message", f.verdict().message());
        } else if (fact instanceof Fact.Started f) {
            json.writeNumberField("attempt", f.attempt());
            json.writeBooleanField("resumed", f.resumed());
            allocation(f.allocation());
        } else if (fact instanceof Fact.Running f) {
            json.writeNumberField("attempt", f.attempt());
            json.writeNumberField("pace", BigDecimal.valueOf(f.paceMicro(), 6));
        } else if (fact instanceof Fact.Paced f) {
            json.writeNumberField("attempt", f.attempt());
            json.writeNumberField("pace", BigDecimal.valueOf(f.paceMicro(), 6));
        } else if (fact instanceof Fact.Changed f) {
            job(f.job());
            json.writeNumberField("priority", f.job().priority());
        } else if (fact instanceof Fact.Promised f) {
            allocation(f.allocation());
        } else if (fact instanceof Fact.Pausing f) {
            json.writeNumberField("attempt", f.attempt());
            json.writeNumberField("beneficiary", f.beneficiary());
            seconds("gainSeconds", f.gainMillis());
            seconds("costSeconds", f.costMillis());
        } else if (fact instanceof Fact.Profiled f) {
            json.writeNumberField("attempt", f.attempt());
        } else if (fact instanceof Fact.Refrained f) {
            json.writeNumberField("victims", f.victims());
            seconds("gainSeconds", f.gainMillis());
            seconds("costSeconds", f.costMillis());
        } else if (fact instanceof Fact.Left f) {
            json.writeNumberField("attempt", f.attempt());
            json.writeStringField("outcome", f.outcome().name());
            json.writeStringField("state", f.next().name());
            usage(f.usage());
            forgetIf(f.next().isFinal(), f.jobId());
        } else if (fact instanceof Fact.Ended f) {
            json.writeStringField("state", f.state().name());
            forgetIf(f.state().isFinal(), f.jobId());
        } else if (fact instanceof Fact.Capacity f) {
            json.writeNumberField(f.isNode() ? "node" : "gpu", f.index());
            json.writeBooleanField("up", f.up());
            json.writeNumberField("gpusUp", f.gpusUp());
        } else if (fact instanceof Fact.Rejected f) {
            json.writeStringField("action", f.action());
            json.writeStringField("rule", f.rule());
        }
    }

    /** Only the names of live jobs are kept. */
    private void forgetIf(boolean ended, long id) {
        if (ended) {
            names.remove(id);
        }
    }

    private void job(Job job) throws IOException {
        json.writeNumberField("gpus", job.demand().maxGpus());
        json.writeStringField("class", job.jobClass().label());
        json.writeStringField("user", job.user());
        json.writeStringField("queue", job.queue());
    }

    private void allocation(Allocation allocation) throws IOException {
        json.writeNumberField("gpus", allocation.size());
        json.writeStringField("tier", allocation.tier().name().toLowerCase(Locale.ROOT));
        json.writeBooleanField("shared", allocation.shared());
        json.writeArrayFieldStart("gpuIds");
        for (int i = 0; i < allocation.size(); i++) {
            json.writeNumber(allocation.gpu(i));
        }
        json.writeEndArray();
    }

    private void usage(Usage usage) throws IOException {
        seconds("loadSeconds", usage.loadMillis());
        seconds("usefulSeconds", usage.usefulMillis());
        seconds("lostSeconds", usage.lostMillis());
        seconds("pauseSeconds", usage.pauseMillis());
    }

    private void seconds(String key, long millis) throws IOException {
        json.writeNumberField(key, BigDecimal.valueOf(millis, 3));
    }
}
