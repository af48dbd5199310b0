/** Attacks of hostile tenants and strangers against a real daemon process. None may succeed, and none may stop others. */
package dev.fermata.live.hostile;
