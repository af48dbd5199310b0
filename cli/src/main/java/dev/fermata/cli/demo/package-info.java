/** The demo: a daemon with a stream of small real trainings, shown as they are paused and resumed without losing work. */
@NullMarked
package dev.fermata.cli.demo;

import org.jspecify.annotations.NullMarked;
