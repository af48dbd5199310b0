package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.cli.OneOff;
import dev.fermata.app.cli.OutputOptions;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that asks the daemon something. What the daemon refuses is told as any other complaint. */
abstract class Verb implements Callable<Integer>, OneOff {
    private static final ObjectMapper JSON = new ObjectMapper();

    final Surroundings surroundings;

    @Spec
    CommandSpec spec;

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    OutputOptions output;

    Verb(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public final Integer call() {
        try {
            return run(connection.open(surroundings.environment()));
        } catch (Problem problem) {
            throw told(problem);
        }
    }

    abstract int run(Door door);

    /** A refusal in the words of this verb. */
    Complaint told(Problem problem) {
        return problem.complaint();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    final boolean forPeople() {
        return output.format().forPeople();
    }

    final Screen screen() {
        return output.format() == Format.WIDE ? surroundings.screen().unlimited() : surroundings.screen();
    }

    /** Sentences for people, wrapped at the edge of the screen. */
    final void say(String... sentences) {
        for (String sentence : sentences) {
            Words.wrap(sentence, screen().columns()).forEach(out()::println);
        }
    }

    final void show(Table table) {
        table.render(screen()).forEach(out()::println);
    }

    /** Something that is no answer, such as how to go on. */
    final void remark(String sentence) {
        if (!output.quiet) {
            err().println("fermata: " + sentence);
            err().flush();
        }
    }

    /** One document as the daemon gave it. */
    final int write(JsonNode document) {
        Structured.write(output.format(), fields(document), out());
        return ExitCode.FINE;
    }

    /** A list of documents as the daemon gave them. */
    final int write(List<JsonNode> documents) {
        Structured.write(output.format(), documents.stream().map(Verb::fields).toList(), out());
        return ExitCode.FINE;
    }

    private static Map<String, Object> fields(JsonNode document) {
        Map<String, Object> fields = new LinkedHashMap<>();
        document.properties().forEach(e -> fields.put(e.getKey(), JSON.convertValue(e.getValue(), Object.class)));
        return fields;
    }
}
