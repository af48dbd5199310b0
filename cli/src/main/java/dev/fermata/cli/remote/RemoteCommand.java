package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.ConnectionOptions;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OneTimeFlags;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;

/** A command that calls the daemon. Reports what the daemon refuses like any other user error. */
abstract class RemoteCommand extends FermataCommand implements OneTimeFlags {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    OutputOptions output;

    RemoteCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public final Integer call() {
        try {
            return run(connection.open(invocation.environment()));
        } catch (ApiClientException problem) {
            throw toUserError(problem);
        }
    }

    abstract int run(DaemonClient api);

    /** A refusal in the words of this verb. */
    UserError toUserError(ApiClientException problem) {
        return problem.toUserError();
    }

    final boolean isHumanReadable() {
        return output.format().isHumanReadable();
    }

    final Screen screen() {
        return output.format() == OutputFormat.WIDE ? invocation.screen().unlimited() : invocation.screen();
    }

    /** Sentences for people, wrapped at the edge of the screen. */
    final void printWrapped(String... sentences) {
        for (String sentence : sentences) {
            WordWrap.wrap(sentence, screen().columns()).forEach(out()::println);
        }
    }

    final void printTable(TextTable table) {
        table.render(screen()).forEach(out()::println);
    }

    /** Prints a remark on stderr, such as the next command. */
    final void printRemark(String sentence) {
        if (!output.quiet) {
            err().println("fermata: " + sentence);
            err().flush();
        }
    }

    /** One document as the daemon gave it. */
    final int write(JsonNode document) {
        StructuredOutput.write(output.format(), fields(document), out());
        return ExitCode.OK;
    }

    /** A list of documents as the daemon gave them. */
    final int write(List<JsonNode> documents) {
        StructuredOutput.write(
                output.format(), documents.stream().map(RemoteCommand::fields).toList(), out());
        return ExitCode.OK;
    }

    private static Map<String, Object> fields(JsonNode document) {
        Map<String, Object> fields = new LinkedHashMap<>();
        document.properties().forEach(e -> fields.put(e.getKey(), JSON.convertValue(e.getValue(), Object.class)));
        return fields;
    }
}
