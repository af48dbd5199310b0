/** A daemon with a stream of small real trainings, to look on: what happens, who is paused for whom, and that nobody loses by it. */
@NullMarked
package dev.fermata.app.demo;

import org.jspecify.annotations.NullMarked;
