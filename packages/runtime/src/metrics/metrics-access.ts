import { createHash } from 'node:crypto';
import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { TokenReview, type UserInfo } from '@kubewright/apimachinery/authentication/v1';
import { SubjectAccessReview } from '@kubewright/apimachinery/authorization/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';
import { ExpiringCache } from './expiring-cache.ts';

/** What {@link MetricsAccess} needs. */
export interface MetricsAccessOptions {
  /** Undefined until the manager has one. */
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

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403 | 500 | 503;
  readonly text: string;
}

/** How long the API server's answers hold, in milliseconds; controller-runtime's values (0.25). */
const lives = { tokenMs: 60_000, allowedMs: 300_000, deniedMs: 30_000 };
/** As many tokens and decisions are remembered. */
const most = 1_000;
/** Longest question to the API server, in milliseconds. */
const askMs = 10_000;
/** A token is a few kilobytes at most; anything longer is not asked about. */
const longestToken = 16_384;

/**
 * Lets read metrics whom the API server lets: a bearer token is checked by a TokenReview, its user by a
 * SubjectAccessReview of the path. The operator needs `create` of both; who reads needs `get` of the nonResourceURL. Unlike
 * with controller-runtime (0.25), which answers 500, a token that nobody knows is answered with 401.
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

  /** Answers why a request is refused; nothing when it may be answered. */
  async refusal(request: MetricsRequest): Promise<Refusal | undefined> {
    const { client, log } = this.#options;
    const asked = client();
    if (!asked) return { status: 503, text: 'the manager is starting\n' };
    const token = /^Bearer +(\S+) *$/i.exec(request.authorization ?? '')?.[1];
    if (token === undefined || token.length > longestToken) return { status: 401, text: 'Unauthorized\n' };
    let user: UserInfo | undefined;
    try {
      user = await this.#user(asked, token);
    } catch (error) {
      log.error('Authentication failed', { error });
      return { status: 500, text: 'Authentication failed\n' };
    }
    if (!user) return { status: 401, text: 'Unauthorized\n' };
    const name = user.username ?? '';
    try {
      if (await this.#isAllowed(asked, { user, request })) return undefined;
    } catch (error) {
      log.error('Authorization failed', { error, user: name });
      return { status: 500, text: `Authorization for user ${name} failed\n` };
    }
    return { status: 403, text: `Authorization denied for user ${name}\n` };
  }

  #user(client: KubernetesClient, token: string): Promise<UserInfo | undefined> {
    // Of the token only its hash is kept.
    return this.#users.get(createHash('sha256').update(token).digest('base64'), {
      lifeMs: () => lives.tokenMs,
      find: async () => {
        const { status } = await this.#ask(client, TokenReview, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          metadata: {},
          spec: { token },
        });
        // A token that cannot be read is answered with an error, too; it is a stranger's, no fault of anybody here.
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
      ...(username !== undefined && { user: username }),
      ...(groups && { groups }),
      ...(uid !== undefined && { uid }),
      ...(extra && { extra }),
      nonResourceAttributes,
    };
    return this.#decisions.get(JSON.stringify(spec), {
      lifeMs: (isAllowed) => (isAllowed ? lives.allowedMs : lives.deniedMs),
      find: async () => {
        const { status } = await this.#ask(client, SubjectAccessReview, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          metadata: {},
          spec,
        });
        return status?.allowed ?? false;
      },
    });
  }

  async #ask<T extends KubernetesObject>(
    client: KubernetesClient,
    kind: Parameters<typeof client.resource<T>>[0],
    review: T,
  ): Promise<T> {
    const patience = new AbortController();
    const giveUp = (): void => patience.abort(new Error(`no answer within ${askMs} ms`));
    using _timer = this.#options.clock.setTimer(askMs, giveUp, { unref: true });
    return await client.resource(kind).create(review, { signal: patience.signal });
  }
}
