package dev.fermata.cli.remote;

import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** A command for several jobs: reports each failure and continues with the next job. */
abstract class MultiJobCommand extends RemoteCommand {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> ids;

    MultiJobCommand(Invocation invocation) {
        super(invocation);
    }

    /** Does it, and answers with the sentence for it. */
    abstract String act(DaemonClient api, long job);

    @Override
    final int run(DaemonClient api) {
        List<Long> jobs = ids.stream().map(JobId::parseJob).toList();
        OutputFormat format = output.format();
        List<Map<String, Object>> answers = new ArrayList<>();
        int code = ExitCode.OK;
        for (long job : jobs) {
            String text;
            boolean done = false;
            try {
                text = act(api, job);
                done = true;
            } catch (ApiClientException problem) {
                UserError userError = problem.toUserError();
                text = String.valueOf(userError.getMessage());
                code = Math.max(code, userError.exitCode());
            }
            if (!format.isHumanReadable()) {
                Map<String, Object> answer = new LinkedHashMap<>();
                answer.put("job", job);
                answer.put("done", done);
                answer.put("message", text);
                answers.add(answer);
            } else if (done) {
                printWrapped(text);
            } else {
                out().flush();
                err().println("fermata: " + text);
            }
        }
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, answers, out());
        }
        return code;
    }
}
