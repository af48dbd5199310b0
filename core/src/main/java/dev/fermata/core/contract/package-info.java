/** What the brain and the worlds around it say to each other: events in, decisions out, and the ports between. */
@NullMarked
package dev.fermata.core.contract;

import org.jspecify.annotations.NullMarked;
