package dev.fermata.app.cli.daemon;

import dev.fermata.app.client.Address;
import dev.fermata.app.client.ClientFile;
import dev.fermata.app.client.Door;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which daemon. The token comes from {@code FERMATA_TOKEN} or the client file, never from a flag that others could see. */
public final class ConnectionOptions {
    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The daemon (default: the one you started last, else " + Address.DEFAULT_URL + ").")
    private @Nullable String url;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Certificates (PEM) of the authority to trust over https.")
    private @Nullable Path authority;

    public Door open(Map<String, String> environment) {
        Address address = ClientFile.find(
                url == null ? "" : url,
                environment.getOrDefault("FERMATA_TOKEN", "").strip(),
                environment);
        return Door.to(address, authority == null ? "" : Door.authority(authority));
    }
}
