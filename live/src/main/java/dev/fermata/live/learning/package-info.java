/** Learning from running jobs: profiles, speeds, memory reservations and estimate calibration. */
@NullMarked
package dev.fermata.live.learning;

import org.jspecify.annotations.NullMarked;
