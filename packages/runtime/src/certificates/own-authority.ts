import type { ObjectKey } from '@kubewright/apimachinery';
import { type AuthorityLifetimes, resolveLifetimes } from './authority-lifetimes.ts';
import type { CertificateSource } from './certificate-source.ts';

/** Options of {@link ownAuthority}. */
export interface OwnAuthorityOptions {
  /** Where keys and certificates are kept; all replicas of an operator name the same. */
  readonly secret: Required<ObjectKey>;
  /** The Service by which the API server reaches the webhooks. Give this or `url`. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * For development: the address at which the API server reaches this process, such as `https://127.0.0.1`; the bound port
   * is added where there is none. Configurations are changed to it from whatever Service they name.
   */
  readonly url?: string;
  /** More names and addresses that the server is called by. */
  readonly hosts?: readonly string[];
  /** MutatingWebhookConfigurations that are told of the authority. */
  readonly mutating?: readonly string[];
  /** ValidatingWebhookConfigurations that are told of the authority. */
  readonly validating?: readonly string[];
  /** CustomResourceDefinitions whose conversion is told of it. @defaultValue those of the declared converters */
  readonly definitions?: readonly string[];
  readonly lifetimes?: AuthorityLifetimes;
  /**
   * How often everything is looked after, in milliseconds; every two seconds while a configuration or definition is not there
   * yet.
   *
   * @defaultValue 30_000
   */
  readonly intervalMs?: number;
}

/**
 * Lets the operator be its own certificate authority, with no other product: makes it, keeps it in a Secret that replicas
 * share, renews it and what it signs before their end, and writes `caBundle` to whoever calls the webhooks.
 *
 * An authority is replaced with an overlap: the new one is believed beside the old one for ten minutes before it signs, and
 * the old one for ten minutes after its last certificate went out of use. No call fails meanwhile.
 *
 * The operator needs `get`, `create` and `update` of that Secret, `get` and `update` of the configurations and definitions.
 * Who can read the Secret can pass for the webhooks: keep it in the operator's own namespace.
 *
 * @example
 * ```ts
 * ownAuthority({
 *   secret: { namespace: 'shop-system', name: 'webhook-server-cert' },
 *   service: { namespace: 'shop-system', name: 'shop-webhook-service' },
 *   validating: ['shop-validating-webhook-configuration'],
 * });
 * ```
 * @throws TypeError unless exactly one of `service` and `url` is given, and for lifetimes that leave gaps.
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
      // Loaded with Node's cryptography and the kinds it writes only when it runs.
      const { AuthorityKeeper } = await import('./authority-keeper.ts');
      await new AuthorityKeeper(options, { lifetimes, parts }).run(signal);
    },
  };
}
