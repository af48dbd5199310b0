/** Requests to the scheduler loop, and the reasons for which they are rejected. */
@NullMarked
package dev.fermata.live.request;

import org.jspecify.annotations.NullMarked;
