package dev.fermata.live.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process of another account at the daemon's socket. */
final class LocalStranger {
    private LocalStranger() {}

    /** @param args {@code ask} or {@code remove}, the socket, and the bytes to send */
    public static void main(String[] args) throws IOException {
        Path socket = Path.of(args[1]);
        if (args[0].equals("ask")) {
            System.out.print(ask(socket, args[2]));
        } else {
            Files.delete(socket);
        }
    }

    static String ask(Path socket, String request) throws IOException {
        StringBuilder answer = new StringBuilder();
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(request.getBytes(UTF_8)));
            ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
            while (channel.read(buffer) >= 0) {
                answer.append(UTF_8.decode(buffer.flip()));
                buffer.clear();
            }
        }
        return answer.toString();
    }
}
