package dev.fermata.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bodies take the steps from their own version on, whatever version this program writes. */
class FormatUpgradeTest {
    /** A format of the future, which uses names that format 1 had with another meaning. */
    private static final class Format3To4 implements FormatStep {
        @Override
        public int from() {
            return 3;
        }

        @Override
        public String entry(String type, ObjectNode body) {
            body.put("v", 4).put("fourth", true);
            return type + "4";
        }

        @Override
        public void snapshot(ObjectNode body) {
            body.put("v", 4).put("fourth", true);
        }
    }

    private final FormatUpgrade upgrade =
            new FormatUpgrade(List.of(new Format1To2(), new Format2To3(), new Format3To4()));

    @Test
    void aBodyOfFormat2IsNotTouchedByTheStepFrom1() {
        ObjectNode entry = HistoryCodec.parse("{\"v\":2,\"state\":\"PAUSED\",\"after\":4}");
        assertThat(upgrade.entry("Left", entry)).isEqualTo("Left4");
        assertThat(entry).hasToString("{\"v\":4,\"state\":\"PAUSED\",\"after\":4,\"fourth\":true}");

        ObjectNode snapshot = HistoryCodec.parse("{\"v\":2,\"drained\":[1],\"factMillis\":2}");
        upgrade.snapshot(snapshot);
        assertThat(snapshot).hasToString("{\"v\":4,\"drained\":[1],\"factMillis\":2,\"fourth\":true}");
    }

    @Test
    void aBodyOfFormat1TakesAllSteps() {
        ObjectNode entry = HistoryCodec.parse("{\"v\":1,\"after\":4}");
        assertThat(upgrade.entry("Left", entry)).isEqualTo("AttemptEnded4");
        assertThat(entry).hasToString("{\"v\":4,\"dependencies\":4,\"fourth\":true}");
    }

    @Test
    void theStoreMigrationFrom1WritesFormat2WhateverFollows() {
        assertThat(Format1To2.entry(new Format1To2.EntryText("Held", "{\"jobId\":1}"))
                        .body())
                .isEqualTo("{\"jobId\":1,\"v\":2}");
        assertThat(Format1To2.snapshot("{}")).isEqualTo("{\"v\":2}");
    }

    @Test
    void theStepsLeadToTheFormatThatIsWritten() {
        assertThat(FormatUpgrade.CURRENT.target()).isEqualTo(HistoryFormat.VERSION);
        ObjectNode current = HistoryCodec.parse("{\"v\":" + HistoryFormat.VERSION + ",\"after\":4}");
        FormatUpgrade.CURRENT.entry("Left", current);
        assertThat(current.has("after")).isTrue();
        assertThatThrownBy(() -> new FormatUpgrade(List.of(new Format2To3()))).hasMessageContaining("format 2");
    }
}
