package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongMapTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesLikeAnyOtherMap(long seed) {
        Random random = new Random(seed);
        LongMap<String> map = new LongMap<>();
        TreeMap<Long, String> model = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) {
            long key = seed % 2 == 0 ? random.nextInt(300) : random.nextInt(40) * 0x1_0000_0000L;
            if (random.nextInt(5) < 3) {
                map.put(key, "v" + i);
                model.put(key, "v" + i);
            } else {
                assertThat(map.remove(key)).isEqualTo(model.remove(key));
            }
            assertThat(map.size()).isEqualTo(model.size());
            long probe = random.nextInt(300);
            assertThat(map.get(probe)).isEqualTo(model.get(probe));
        }
        List<String> values = new ArrayList<>();
        map.forEach(values::add);
        assertThat(values).containsExactlyInAnyOrderElementsOf(model.values());
    }
}
