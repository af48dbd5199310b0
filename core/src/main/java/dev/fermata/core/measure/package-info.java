/** Measures of a history, simulated or live, from its records alone: one code for every published figure. */
@NullMarked
package dev.fermata.core.measure;

import org.jspecify.annotations.NullMarked;
