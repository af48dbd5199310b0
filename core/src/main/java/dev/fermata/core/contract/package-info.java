/** What the scheduler and its drivers exchange: events in, decisions out, and the ports between them. */
@NullMarked
package dev.fermata.core.contract;

import org.jspecify.annotations.NullMarked;
