/** Who may do what: tokens, roles, the audit trail. */
@NullMarked
package dev.fermata.live.access;

import org.jspecify.annotations.NullMarked;
