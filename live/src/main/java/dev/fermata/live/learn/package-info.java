/** What is learned about kinds of jobs from those that ran: what pausing and loading them costs, and how sure that is. */
@NullMarked
package dev.fermata.live.learn;

import org.jspecify.annotations.NullMarked;
