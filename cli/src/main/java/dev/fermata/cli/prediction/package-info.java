/** Predicts starts for the daemon by simulation. The only package that joins the daemon and the simulator. */
@NullMarked
package dev.fermata.cli.prediction;

import org.jspecify.annotations.NullMarked;
