import { defined } from '@kubewright/apimachinery/internal';
import { certificateFiles } from '../certificates/certificate-files.ts';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import { ownAuthority } from '../certificates/own-authority.ts';
import type { WebhookDefinition } from '../webhook/webhook-definition.ts';
import type { WebhookServerOptions } from '../webhook/webhook-server.ts';
import type { FlagDefinition } from './parse-flags.ts';
import { FlagError } from './parse-flags.ts';

/**
 * The flags of the webhook server: kubebuilder's flags, plus two flags for settings that kubebuilder projects set in
 * code.
 */
export const webhookFlags: Readonly<Record<string, FlagDefinition>> = {
  'webhook-port': { type: 'text', help: 'port of the webhook server; -1 disables the server', default: '9443' },
  'webhook-host': { type: 'text', help: 'address of the webhook server; default: all interfaces' },
  'webhook-cert-path': { type: 'text', help: 'directory of the webhook certificate' },
  'webhook-cert-name': { type: 'text', help: 'file name of the webhook certificate', default: 'tls.crt' },
  'webhook-cert-key': { type: 'text', help: 'file name of the key of the webhook certificate', default: 'tls.key' },
  'webhook-service': {
    type: 'text',
    help: 'Service of the webhooks, as NAMESPACE/[PREFIX]webhook-service; the operator then signs its own certificate and injects the CA into [PREFIX]…-webhook-configuration',
  },
};

/** The Secret with the webhooks' certificate, either cert-manager's or the operator's own. */
const secretName = 'webhook-server-cert';

/**
 * Returns the webhook server options that the flags select.
 *
 * @param webhooks - the webhooks whose configurations get the operator's own authority.
 */
export function webhookServerOf(
  flags: ReadonlyMap<string, string>,
  webhooks: readonly WebhookDefinition[],
): WebhookServerOptions {
  const host = flags.get('webhook-host') ?? '';
  const certificates = filesOf('webhook', flags) ?? ownOf(flags.get('webhook-service') ?? '', webhooks);
  return {
    port: portOf(flags.get('webhook-port') ?? '9443'),
    ...(host !== '' && { host }),
    ...defined({ certificates }),
  };
}

/** Returns the certificate source for `--<server>-cert-path`; undefined if the flag is not set. */
export function filesOf(
  server: 'metrics' | 'webhook',
  flags: ReadonlyMap<string, string>,
): CertificateSource | undefined {
  const [directory, certificate, key] = ['path', 'name', 'key'].map((part) => flags.get(`${server}-cert-${part}`));
  if (directory === undefined || directory === '') return undefined;
  return certificateFiles({ directory, ...defined({ certificate, key }) });
}

function ownOf(place: string, webhooks: readonly WebhookDefinition[]): CertificateSource | undefined {
  if (place === '') return undefined;
  const [, namespace, prefix] = /^([a-z0-9][-a-z0-9]{0,62})\/([-a-z0-9]*)webhook-service$/.exec(place) ?? [];
  if (namespace === undefined || prefix === undefined)
    throw new FlagError({
      what: `invalid value ${JSON.stringify(place)} for --webhook-service`,
      why: 'must be a namespace and a name that ends in webhook-service, such as shop-system/shop-webhook-service',
      remedy: 'for other names, pass ownAuthority({ … }) to webhookServer as its certificates',
    });
  const configured = (type: 'mutating' | 'validating'): readonly string[] =>
    webhooks.some((each) => each.type === type && each.rules.length > 0)
      ? [`${prefix}${type}-webhook-configuration`]
      : [];
  return ownAuthority({
    secret: { namespace, name: secretName },
    service: { namespace, name: `${prefix}webhook-service` },
    mutating: configured('mutating'),
    validating: configured('validating'),
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^(\d{1,5}|-1)$/.test(text) && port <= 65_535) return port;
  throw new FlagError({
    what: `invalid value ${JSON.stringify(text)} for --webhook-port`,
    why: 'must be a port number',
  });
}
