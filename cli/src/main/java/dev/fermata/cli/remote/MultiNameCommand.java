package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.util.List;

/** A command for several named things, which checks all names first. */
abstract class MultiNameCommand extends RemoteCommand {
    private final String noun;

    /** @param thing what each is the name of, and where names are listed */
    MultiNameCommand(Invocation invocation, String thing) {
        super(invocation);
        this.noun = thing;
    }

    abstract List<String> names();

    /** Does it, and answers with the sentence for it. */
    abstract String act(DaemonClient api, String name);

    @Override
    final int run(DaemonClient api) {
        for (String name : names()) {
            if (!name.matches("[A-Za-z0-9_.:-]{1,255}")) {
                throw UserError.invalid("'" + name + "' is no " + noun);
            }
        }
        names().forEach(name -> printWrapped(act(api, name)));
        return ExitCode.OK;
    }
}
