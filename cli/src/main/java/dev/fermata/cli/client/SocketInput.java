package dev.fermata.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** The bytes of a socket, with a deadline. Closing it from another thread ends a read that waits. */
final class SocketInput extends InputStream {
    private final SocketChannel channel;
    private final Duration timeout;
    private final ByteBuffer buffer = ByteBuffer.allocate(16 << 10).limit(0);
    private final Selector selector;
    private long deadlineNanos;
    private boolean limited = true;
    private boolean registered;

    /** Takes over the channel, also when it throws. */
    SocketInput(SocketChannel channel, Duration timeout) throws IOException {
        this.channel = channel;
        this.timeout = timeout;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    void withoutDeadline() {
        limited = false;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int n = Math.min(length, buffer.remaining());
        buffer.get(to, offset, n);
        return n;
    }

    /** Whether there are bytes in the buffer; waits for them. */
    private boolean fill() throws IOException {
        try {
            if (!registered) {
                // From now on it only reads; writing was simpler in blocking mode.
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
                registered = true;
            }
            while (!buffer.hasRemaining()) {
                buffer.clear();
                int n = channel.read(buffer);
                buffer.flip();
                if (n < 0) {
                    return false;
                }
                if (n == 0) {
                    await();
                }
            }
            return true;
        } catch (ClosedSelectorException e) {
            throw new IOException("closed", e);
        }
    }

    private void await() throws IOException {
        long leftMillis = limited ? (deadlineNanos - System.nanoTime()) / 1_000_000 : 0;
        if (limited && leftMillis <= 0) {
            throw SocketTransport.late(timeout);
        }
        selector.select(leftMillis);
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("interrupted");
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
