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
   * For development: the URL at which the API server reaches this process, such as `https://127.0.0.1`; the bound port
   * is added if missing. Overrides the Service in the configurations.
   */
  readonly url?: string;
  /** Additional names and addresses at which clients reach the server. */
  readonly hosts?: readonly string[];
  /** MutatingWebhookConfigurations to inject the authority into. */
  readonly mutating?: readonly string[];
  /** ValidatingWebhookConfigurations to inject the authority into. */
  readonly validating?: readonly string[];
  /**
   * CustomResourceDefinitions to inject the authority into, for their conversion webhooks.
   *
   * @defaultValue the definitions of the declared converters
   */
  readonly definitions?: readonly string[];
  readonly lifetimes?: AuthorityLifetimes;
  /**
   * Interval between checks of the authority, its certificates and the injected objects, in milliseconds. While a configuration or
   * definition does not exist yet, the interval is two seconds.
   *
   * @defaultValue 30_000
   */
  readonly intervalMs?: number;
}

/**
 * Runs a certificate authority inside the operator, so no other product, such as cert-manager, is needed. Creates the authority,
 * stores it in a Secret shared by all replicas, renews it and its certificates before they expire, and writes `caBundle` to the
 * objects that call the webhooks.
 *
 * Rotations overlap, so no call fails: a new authority is trusted for ten minutes before it signs, and the old authority stays
 * trusted for ten minutes after its last certificate is out of use.
 *
 * The operator needs `get`, `create` and `update` on the Secret, and `get` and `update` on the configurations and
 * definitions. Anyone who can read the Secret can impersonate the webhooks, so keep it in the operator's own namespace.
 *
 * @example
 * ```ts
 * ownAuthority({
 *   secret: { namespace: 'shop-system', name: 'webhook-server-cert' },
 *   service: { namespace: 'shop-system', name: 'shop-webhook-service' },
 *   validating: ['shop-validating-webhook-configuration'],
 * });
 * ```
 * @throws TypeError unless exactly one of `service` and `url` is set, or when the lifetimes leave a time without a valid
 * certificate.
 */
export function ownAuthority(options: OwnAuthorityOptions): CertificateSource {
  const { service, url } = options;
  if ((service === undefined) === (url === undefined))
    throw new TypeError('ownAuthority() requires exactly one of "service" and "url"');
  const lifetimes = resolveLifetimes(options.lifetimes);
  return {
    async run(parts, signal) {
      // Loads Node's cryptography and the kinds of the written objects only when it runs.
      const { AuthorityKeeper } = await import('./authority-keeper.ts');
      await new AuthorityKeeper(options, { lifetimes, parts }).run(signal);
    },
  };
}
