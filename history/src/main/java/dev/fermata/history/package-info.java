/** The stored format of history records and snapshots, and the estimator that rests on them. */
@NullMarked
package dev.fermata.history;

import org.jspecify.annotations.NullMarked;
