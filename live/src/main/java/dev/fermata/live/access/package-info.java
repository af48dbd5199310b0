/** Access control: tokens, roles, the audit log. */
@NullMarked
package dev.fermata.live.access;

import org.jspecify.annotations.NullMarked;
