package dev.fermata.cli.option;

import dev.fermata.cli.client.ClientFile;
import dev.fermata.cli.client.DaemonAddress;
import dev.fermata.cli.client.DaemonClient;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The flags that select a daemon. The token comes from {@code FERMATA_TOKEN} or the client file, never from a flag that others
 * could see.
 */
public final class ConnectionOptions {
    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The daemon (default: the one you started last, else " + DaemonAddress.DEFAULT_URL + ").")
    private @Nullable String url;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Certificates (PEM) of the authority to trust over https.")
    private @Nullable Path authority;

    public DaemonClient open(Map<String, String> environment) {
        DaemonAddress address = ClientFile.find(
                url == null ? "" : url,
                environment.getOrDefault("FERMATA_TOKEN", "").strip(),
                environment);
        return DaemonClient.to(address, authority == null ? "" : DaemonClient.readAuthority(authority));
    }
}
