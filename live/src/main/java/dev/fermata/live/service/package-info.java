/** The service interface of the daemon: requests, explanations, dry runs and start predictions. */
@NullMarked
package dev.fermata.live.service;

import org.jspecify.annotations.NullMarked;
