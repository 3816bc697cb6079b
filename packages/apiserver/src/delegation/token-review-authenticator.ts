import { createHash } from 'node:crypto';
import type { Clock } from '@kubewright/apimachinery';
import type { Authenticator, UserInfo } from '../authentication/authenticator.ts';
import { bearerToken } from '../authentication/bearer-token.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { type ClusterClient, post } from './cluster-client.ts';
import { ReviewCache } from './review-cache.ts';

const path = '/apis/authentication.k8s.io/v1/tokenreviews';
/** `CacheTTL` of upstream's `DelegatingAuthenticationOptions` (1.36), for valid and for invalid tokens. */
const ttlMs = 10_000;

interface TokenReview {
  readonly status?: { readonly authenticated?: boolean; readonly user?: Partial<UserInfo> };
}

/** Authenticates bearer tokens by sending TokenReviews to the cluster. Mirrors the delegating authenticator (1.36). */
export class TokenReviewAuthenticator implements Authenticator {
  readonly #client: ClusterClient;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  /** Keyed by the token's digest, so that no token stays in memory. */
  readonly #reviews: ReviewCache<UserInfo | undefined>;

  constructor(
    client: ClusterClient,
    { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#onError = onError;
    this.#reviews = new ReviewCache(clock);
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const key = createHash('sha256').update(token).digest('base64');
    try {
      return await this.#reviews.get(key, { review: () => this.#review(token), ttlMs: () => ttlMs });
    } catch (error) {
      // As in upstream, a request whose review fails gets a 401.
      this.#onError(error);
      return undefined;
    }
  }

  async #review(token: string): Promise<UserInfo | undefined> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { status } = (await post(this.#client, { path, body, clock: this.#clock })) as TokenReview;
    const { username, uid, groups = [], extra } = status?.user ?? {};
    if (status?.authenticated !== true || username === undefined) return undefined;
    return { username, uid, groups, extra };
  }
}
