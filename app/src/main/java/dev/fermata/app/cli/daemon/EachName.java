package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import java.util.List;

/** A verb that does the same to several things with names, after it has looked at all of the names. */
abstract class EachName extends Verb {
    private final String thing;

    /** @param thing what each is the name of, and where names are listed */
    EachName(Surroundings surroundings, String thing) {
        super(surroundings);
        this.thing = thing;
    }

    abstract List<String> names();

    /** Does it, and answers with the sentence for it. */
    abstract String act(Door door, String name);

    @Override
    final int run(Door door) {
        for (String name : names()) {
            if (!name.matches("[A-Za-z0-9_.:-]{1,255}")) {
                throw Complaint.invalid("'" + name + "' is no " + thing);
            }
        }
        names().forEach(name -> say(act(door, name)));
        return ExitCode.FINE;
    }
}
