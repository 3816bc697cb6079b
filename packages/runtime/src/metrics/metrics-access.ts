import { createHash } from 'node:crypto';
import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { TokenReview, type UserInfo } from '@kubewright/apimachinery/authentication/v1';
import { SubjectAccessReview } from '@kubewright/apimachinery/authorization/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { ExpiringCache } from './expiring-cache.ts';

/** Options for {@link MetricsAccess}. */
export interface MetricsAccessOptions {
  /** Returns the client; undefined until the manager has a client. */
  readonly client: () => KubernetesClient | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A request for metrics. */
export interface MetricsRequest {
  readonly authorization: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** The response to a rejected request. */
export interface Rejection {
  readonly status: 401 | 403 | 500 | 503;
  readonly text: string;
}

/** TTLs of the API server's cached responses, in milliseconds; controller-runtime's values (0.25). */
const lifetimes = { tokenMs: 60_000, allowedMs: 300_000, deniedMs: 30_000 };
/** Maximum number of cached tokens and of cached decisions. */
const most = 1_000;
/** Timeout of a request to the API server, in milliseconds. */
const reviewMs = 10_000;
/** A token is a few kilobytes at most; longer tokens are rejected without a review. */
const longestToken = 16_384;

/**
 * Admits clients that the API server authorizes to read metrics. A TokenReview checks the bearer token, and a
 * SubjectAccessReview checks the user's access to the path. The operator needs `create` on both kinds of reviews;
 * readers need `get` on the nonResourceURL. Unknown tokens are rejected with 401, unlike in controller-runtime (0.25),
 * which responds with 500.
 */
export class MetricsAccess {
  readonly #options: MetricsAccessOptions;
  readonly #users: ExpiringCache<UserInfo | undefined>;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(options: MetricsAccessOptions) {
    const { clock } = options;
    this.#options = options;
    this.#users = new ExpiringCache({ clock, most });
    this.#decisions = new ExpiringCache({ clock, most });
  }

  /** Returns the reason why a request is rejected; undefined if it is admitted. */
  async rejection(request: MetricsRequest): Promise<Rejection | undefined> {
    const { client, log } = this.#options;
    const apiClient = client();
    if (!apiClient) return { status: 503, text: 'the manager is starting\n' };
    const token = /^Bearer +(\S+) *$/i.exec(request.authorization ?? '')?.[1];
    if (token === undefined || token.length > longestToken) return { status: 401, text: 'Unauthorized\n' };
    let user: UserInfo | undefined;
    try {
      user = await this.#user(apiClient, token);
    } catch (error) {
      log.error('Authentication failed', { event: logEvents.metricsAccessFailed, error });
      return { status: 500, text: 'Authentication failed\n' };
    }
    if (!user) return { status: 401, text: 'Unauthorized\n' };
    const name = user.username ?? '';
    try {
      if (await this.#isAllowed(apiClient, { user, request })) return undefined;
    } catch (error) {
      log.error('Authorization failed', { event: logEvents.metricsAccessFailed, error, user: name });
      return { status: 500, text: `Authorization for user ${name} failed\n` };
    }
    return { status: 403, text: `Authorization denied for user ${name}\n` };
  }

  #user(client: KubernetesClient, token: string): Promise<UserInfo | undefined> {
    // Only the hash of the token is kept.
    return this.#users.get(createHash('sha256').update(token).digest('base64'), {
      lifeMs: () => lifetimes.tokenMs,
      find: async () => {
        const { status } = await this.#review(client, TokenReview, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          metadata: {},
          spec: { token },
        });
        // The API server also sets `error` for a token that it cannot parse. That is the client's fault, so the
        // response is 401, not 500.
        return status?.authenticated ? (status.user ?? {}) : undefined;
      },
    });
  }

  #isAllowed(
    client: KubernetesClient,
    what: { readonly user: UserInfo; readonly request: MetricsRequest },
  ): Promise<boolean> {
    const { username, groups, uid, extra } = what.user;
    const nonResourceAttributes = { path: what.request.path, verb: what.request.method.toLowerCase() };
    const spec = {
      ...defined({ user: username, groups, uid, extra }),
      nonResourceAttributes,
    };
    return this.#decisions.get(JSON.stringify(spec), {
      lifeMs: (isAllowed) => (isAllowed ? lifetimes.allowedMs : lifetimes.deniedMs),
      find: async () => {
        const { status } = await this.#review(client, SubjectAccessReview, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          metadata: {},
          spec,
        });
        return status?.allowed ?? false;
      },
    });
  }

  async #review<T extends KubernetesObject>(
    client: KubernetesClient,
    kind: Parameters<typeof client.resource<T>>[0],
    review: T,
  ): Promise<T> {
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort(new Error(`timed out after ${reviewMs} ms`));
    using _timer = this.#options.clock.setTimer(reviewMs, giveUp, { unref: true });
    return await client.resource(kind).create(review, { signal: deadline.signal });
  }
}
