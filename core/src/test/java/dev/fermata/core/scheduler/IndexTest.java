package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bits and CountIndex against the obvious. */
class IndexTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 130, 200})
    void bitsFindTheNextAndThePrevious(int size) {
        Random random = new Random(size);
        long[] words = new long[(size + 63) >>> 6];
        BitSet model = new BitSet();
        for (int i = 0; i < 2000; i++) {
            int bit = random.nextInt(size);
            boolean value = random.nextInt(4) == 0;
            Bits.set(words, bit, value);
            model.set(bit, value);
            int from = random.nextInt(size);
            int end = random.nextInt(size + 1);
            int next = model.nextSetBit(from);
            assertThat(Bits.next(words, from, end)).isEqualTo(next >= 0 && next < end ? next : -1);
            assertThat(Bits.previous(words, from)).isEqualTo(model.previousSetBit(from));
        }
        assertThat(Bits.previous(words, -1)).isEqualTo(-1);
        assertThat(Bits.next(words, size, size)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nodesAreFoundByCount(long seed) {
        Random random = new Random(seed);
        int nodes = 1 + random.nextInt(150);
        int max = 1 + random.nextInt(100);
        int[] counts = new int[nodes];
        int[] types = new int[nodes];
        NodeAvailabilityIndex index = new NodeAvailabilityIndex(2, nodes, max);
        for (int n = 0; n < nodes; n++) {
            types[n] = random.nextInt(2);
            counts[n] = random.nextInt(max + 1);
            index.add(types[n], n, counts[n]);
        }
        for (int i = 0; i < 3000; i++) {
            int moved = random.nextInt(nodes);
            int to = random.nextInt(max + 1);
            index.move(types[moved], moved, counts[moved], to);
            counts[moved] = to;

            int type = random.nextInt(2);
            int asked = random.nextInt(max + 3) - 1;
            int next = -1;
            int previous = -1;
            int node = -1;
            int from = random.nextInt(nodes);
            int end = random.nextInt(nodes + 1);
            for (int n = nodes - 1; n >= 0; n--) {
                if (types[n] == type) {
                    next = counts[n] >= asked && (next < 0 || counts[n] < next) ? counts[n] : next;
                    previous = counts[n] <= asked && counts[n] > previous ? counts[n] : previous;
                    node = counts[n] == asked && n >= from && n < end ? n : node;
                }
            }
            assertThat(index.next(type, asked)).isEqualTo(next);
            assertThat(index.previous(type, asked)).isEqualTo(previous);
            assertThat(index.findNode(type, asked, from, end)).isEqualTo(node);
        }
    }
}
