package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** News may come at any moment, also while a stream is only about to begin. */
class OutflowTest {
    /** As servers have it: whoever has not said that he listens must not write. */
    private static final class Client extends ServletOutputStream {
        private final ByteArrayOutputStream got = new ByteArrayOutputStream();

        @Nullable
        private WriteListener listener;

        @Override
        public boolean isReady() {
            if (listener == null) {
                throw new IllegalStateException("nobody listens yet");
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

    private static final class Words implements Feed {
        private final String[] words;
        private int next;

        Words(String... words) {
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
    void newsBeforeItBeginsWait() {
        Client client = new Client();
        Outflow flow = new Outflow(client, new Words("one ", "two ", "", "three"), Runnable::run);
        flow.wake();
        flow.beat();
        assertThat(flow.done()).isNotDone();

        flow.begin();
        flow.wake();
        assertThat(flow.done()).isCompleted();
        assertThat(client.got.toString(UTF_8)).isEqualTo("one two three");
    }
}
