/** The gates between the cluster state and every policy: holds, dependencies, arrays, profiles and queues. */
@NullMarked
package dev.fermata.core.admission;

import org.jspecify.annotations.NullMarked;
