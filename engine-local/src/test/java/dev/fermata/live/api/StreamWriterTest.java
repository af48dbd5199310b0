package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Signals may come at any moment, also while a stream is only about to begin. */
class StreamWriterTest {
    /** As in servers: a write before the listener is set is an error. */
    private static final class TestOutputStream extends ServletOutputStream {
        private final ByteArrayOutputStream got = new ByteArrayOutputStream();

        @Nullable
        private WriteListener listener;

        @Override
        public boolean isReady() {
            if (listener == null) {
                throw new IllegalStateException("no listener yet");
            }
            return true;
        }

        @Override
        public void setWriteListener(WriteListener other) {
            listener = other;
            try {
                other.onWritePossible();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void write(int b) {
            got.write(b);
        }
    }

    private static final class WordSource implements StreamSource {
        private final String[] words;
        private int next;

        WordSource(String... words) {
            this.words = words;
        }

        @Override
        public byte @Nullable [] next() {
            return next == words.length ? null : words[next++].getBytes(UTF_8);
        }

        @Override
        public byte[] heartbeat() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }

    @Test
    void signalsBeforeStartAreDeferred() {
        TestOutputStream client = new TestOutputStream();
        StreamWriter writer = new StreamWriter(client, new WordSource("one ", "two ", "", "three"), Runnable::run);
        writer.signal();
        writer.sendHeartbeatIfIdle();
        assertThat(writer.done()).isNotDone();

        writer.start();
        writer.signal();
        assertThat(writer.done()).isCompleted();
        assertThat(client.got.toString(UTF_8)).isEqualTo("one two three");
    }
}
