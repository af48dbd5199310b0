package dev.fermata.live.service;

import dev.fermata.core.contract.OrderChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The order that a policy follows, in words. */
final class OrderText {
    private OrderText() {}

    static String of(OrderChoice order) {
        String followed = "least remaining time" + timesGpus(order.exponent()) + " first";
        if (order.submissions() == 0) {
            return followed;
        }
        List<String> others = new ArrayList<>();
        for (OrderChoice.Candidate other : order.others()) {
            others.add(String.format(
                    Locale.ROOT,
                    "%+.1f %%%s",
                    100 * other.meanJctChange(),
                    other.exponent() == 0 ? " without GPUs" : " with" + timesGpus(other.exponent())));
        }
        return followed + " (mean JCT of the last " + order.submissions() + " submissions played again: "
                + String.join("; ", others) + ")";
    }

    private static String timesGpus(double exponent) {
        return exponent == 0 ? "" : exponent == 1 ? " x GPUs" : String.format(Locale.ROOT, " x GPUs^%.1f", exponent);
    }
}
