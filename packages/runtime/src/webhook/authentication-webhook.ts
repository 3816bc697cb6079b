import type { AuthenticationWebhook } from './webhook-definition.ts';

/** Options for {@link authenticationWebhook}. */
export interface AuthenticationWebhookOptions {
  /** URL path: letters, digits, `-` and `_` between slashes. */
  readonly path: string;
  /** Returns the user of a token; if it throws, the token is not authenticated. */
  readonly authenticate: AuthenticationWebhook['authenticate'];
}

/**
 * Declares a webhook that responds to TokenReviews from an API server that is configured to call it
 * (controller-runtime's `webhook/authentication`).
 *
 * @example
 * ```ts
 * authenticationWebhook({
 *   path: '/authenticate',
 *   authenticate: async ({ token }) => ({ user: await sessions.userOf(token) }),
 * });
 * ```
 */
export function authenticationWebhook(options: AuthenticationWebhookOptions): AuthenticationWebhook {
  const { path, authenticate } = options;
  return { type: 'authentication', path, authenticate };
}
