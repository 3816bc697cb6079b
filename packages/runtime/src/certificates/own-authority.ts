import type { ObjectKey } from '@kubewright/apimachinery';
import { type AuthorityLifetimes, resolveLifetimes } from './authority-lifetimes.ts';
import type { CertificateSource } from './certificate-source.ts';

/** Options for {@link ownAuthority}. */
export interface OwnAuthorityOptions {
  /** Stores keys and certificates; all replicas of an operator use the same Secret. */
  readonly secret: Required<ObjectKey>;
  /** The Service through which the API server reaches the webhooks. Set this or `url`. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * For development: the address at which the API server reaches this process, such as `https://127.0.0.1`; the bound port is
   * added if missing. Replaces whatever Service the configurations name.
   */
  readonly url?: string;
  /** Additional names and addresses at which clients reach the server. */
  readonly hosts?: readonly string[];
  /** MutatingWebhookConfigurations to inject the authority into. */
  readonly mutating?: readonly string[];
  /** ValidatingWebhookConfigurations to inject the authority into. */
  readonly validating?: readonly string[];
  /**
   * CustomResourceDefinitions whose conversion to inject the authority into.
   *
   * @defaultValue those of the declared converters
   */
  readonly definitions?: readonly string[];
  readonly lifetimes?: AuthorityLifetimes;
  /**
   * Interval between checks of everything, in milliseconds; two seconds while a configuration or definition does not exist yet.
   *
   * @defaultValue 30_000
   */
  readonly intervalMs?: number;
}

/**
 * Runs a certificate authority inside the operator, without any other product. Creates the authority, stores it in a Secret
 * shared by all replicas, renews it and its certificates before they expire, and writes `caBundle` to the objects that call the
 * webhooks.
 *
 * An authority is replaced with an overlap: the new one is trusted along with the old one for ten minutes before it signs, and
 * the old one for ten minutes after its last certificate is out of use. No call fails during a rotation.
 *
 * The operator needs `get`, `create` and `update` on that Secret, and `get` and `update` on the configurations and definitions.
 * Anyone who can read the Secret can impersonate the webhooks, so keep it in the operator's own namespace.
 *
 * @example
 * ```ts
 * ownAuthority({
 *   secret: { namespace: 'shop-system', name: 'webhook-server-cert' },
 *   service: { namespace: 'shop-system', name: 'shop-webhook-service' },
 *   validating: ['shop-validating-webhook-configuration'],
 * });
 * ```
 * @throws TypeError unless exactly one of `service` and `url` is set, and for lifetimes that leave gaps.
 */
export function ownAuthority(options: OwnAuthorityOptions): CertificateSource {
  const { service, url } = options;
  if ((service === undefined) === (url === undefined))
    throw new TypeError(
      'ownAuthority() needs to know where the webhooks are called: give it "service" or "url", not both',
    );
  const lifetimes = resolveLifetimes(options.lifetimes);
  return {
    async run(parts, signal) {
      // Loads Node's cryptography and the kinds it writes only when it runs.
      const { AuthorityKeeper } = await import('./authority-keeper.ts');
      await new AuthorityKeeper(options, { lifetimes, parts }).run(signal);
    },
  };
}
