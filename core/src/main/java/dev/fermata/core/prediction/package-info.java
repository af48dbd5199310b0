/** What a prediction starts from: the cluster at one moment, with the estimates of its jobs. */
@NullMarked
package dev.fermata.core.prediction;

import org.jspecify.annotations.NullMarked;
