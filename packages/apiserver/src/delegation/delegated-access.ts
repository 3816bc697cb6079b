import type { Clock, Timer } from '@kubewright/apimachinery';
import type { Authenticator, UserInfo } from '../authentication/authenticator.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { AccessReviewAuthorizer } from './access-review-authorizer.ts';
import { type AuthenticationTrust, noTrust, readTrust } from './authentication-trust.ts';
import type { ClusterClient } from './cluster-client.ts';
import { DelegationError } from './delegation-error.ts';
import { RequestHeaderAuthenticator, UserCertificateAuthenticator } from './request-header-authenticator.ts';
import { TokenReviewAuthenticator } from './token-review-authenticator.ts';

const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
/** Interval between reads of the CAs, in milliseconds. After a rotation, old and new CAs overlap for hours. */
const refreshMs = 60_000;

/** Options for {@link DelegatedAccess}. */
export interface DelegatedAccessOptions {
  readonly clock: Clock;
  /** Called when a review fails or the CAs cannot be read. */
  readonly onError: (error: unknown) => void;
  /** Called after the CAs have changed. */
  readonly onChanged: () => void;
}

/**
 * Authentication and authorization by the cluster that an extension API server belongs to: request headers of its API server,
 * client certificates, TokenReviews, SubjectAccessReviews. Mirrors `DelegatingAuthenticationOptions` and
 * `DelegatingAuthorizationOptions` (1.36).
 */
export class DelegatedAccess implements Authenticator, Disposable {
  readonly authorizer: Authorizer;
  readonly #client: ClusterClient;
  readonly #options: DelegatedAccessOptions;
  readonly #tokens: TokenReviewAuthenticator;
  #trust: AuthenticationTrust = noTrust;
  #text = '';
  #authenticators: readonly Authenticator[] = [];
  #timer: Timer | undefined;

  constructor(client: ClusterClient, options: DelegatedAccessOptions) {
    this.#client = client;
    this.#options = options;
    this.#tokens = new TokenReviewAuthenticator(client, options);
    this.authorizer = new AccessReviewAuthorizer(client, options);
  }

  /**
   * Reads the CAs now, and again every minute.
   *
   * @throws DelegationError (KW5107) if they cannot be read
   */
  async start(): Promise<void> {
    try {
      await this.#refresh();
    } catch (cause) {
      throw new DelegationError(
        {
          what: "cannot read the cluster's authentication configuration",
          why: cause instanceof Error ? cause.message : String(cause),
          remedy:
            'grant the server the verb get on the ConfigMap kube-system/extension-apiserver-authentication; kubewright generate writes the RBAC rule',
        },
        { cause },
      );
    }
    this.#schedule();
  }

  /** CAs of accepted client certificates, in PEM format. */
  get authorities(): string {
    return [this.#trust.requestHeaderCa, this.#trust.clientCa].filter((pem) => pem !== '').join('\n');
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    for (const authenticator of this.#authenticators) {
      const user = await authenticator.authenticate(request);
      if (user !== undefined) return user;
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimer(
      refreshMs,
      () => {
        void this.#refresh()
          .catch(this.#options.onError)
          .finally(() => this.#timer && this.#schedule());
      },
      { unref: true },
    );
  }

  async #refresh(): Promise<void> {
    const { data = {} } = (await this.#client.request({ path })) as { readonly data?: Record<string, string> };
    const text = JSON.stringify(data);
    if (text === this.#text) return;
    const trust = readTrust(data);
    this.#authenticators = [
      new RequestHeaderAuthenticator(trust),
      new UserCertificateAuthenticator(trust),
      this.#tokens,
    ];
    this.#trust = trust;
    this.#options.onChanged();
    // Set last, so that a change that cannot be applied is retried.
    this.#text = text;
  }
}
