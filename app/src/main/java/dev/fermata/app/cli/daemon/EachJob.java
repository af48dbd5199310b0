package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** A verb that does the same to several jobs: what fails for one is said, and the others are done all the same. */
abstract class EachJob extends Verb {
    @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of jobs.")
    private List<String> ids;

    EachJob(Surroundings surroundings) {
        super(surroundings);
    }

    /** Does it, and answers with the sentence for it. */
    abstract String act(Door door, long job);

    @Override
    final int run(Door door) {
        List<Long> jobs = ids.stream().map(JobId::whole).toList();
        Format format = output.format();
        List<Map<String, Object>> answers = new ArrayList<>();
        int code = ExitCode.FINE;
        for (long job : jobs) {
            String said;
            boolean done = false;
            try {
                said = act(door, job);
                done = true;
            } catch (Problem problem) {
                Complaint complaint = problem.complaint();
                said = String.valueOf(complaint.getMessage());
                code = Math.max(code, complaint.exitCode());
            }
            if (!format.forPeople()) {
                Map<String, Object> answer = new LinkedHashMap<>();
                answer.put("job", job);
                answer.put("done", done);
                answer.put("message", said);
                answers.add(answer);
            } else if (done) {
                say(said);
            } else {
                out().flush();
                err().println("fermata: " + said);
            }
        }
        if (!format.forPeople()) {
            Structured.write(format, answers, out());
        }
        return code;
    }
}
