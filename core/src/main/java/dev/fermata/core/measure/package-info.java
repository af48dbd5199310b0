/** Measures of a history, simulated or live, from its facts alone: one code for every figure we publish. */
@NullMarked
package dev.fermata.core.measure;

import org.jspecify.annotations.NullMarked;
