import { timingSafeEqual } from 'node:crypto';
import type { KubernetesObject } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { ApiHandler } from '@kubewright/apiserver';
import { asServer, type ReadObject } from '@kubewright/apiserver/internal';
import type { BoundObject, ServiceAccountTokens } from './service-account-token.ts';

const issuer = 'kubernetes/serviceaccount';
const prefix = 'kubernetes.io/serviceaccount/';
/** Label with the date on which a token was last used. */
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
/** Label with the date on which the legacy token cleaner invalidated a token. */
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const dayMs = 86_400_000;

/** The service account that a legacy token authenticates, and the Secret that holds the token. */
export interface LegacyToken {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly secretName: string;
}

/** Issues the token for a Secret of type `kubernetes.io/service-account-token`. The token never expires. */
export function issueLegacyToken(
  tokens: ServiceAccountTokens,
  { namespace, serviceAccount, secretName }: LegacyToken,
): string {
  return tokens.sign({
    iss: issuer,
    [`${prefix}namespace`]: namespace,
    [`${prefix}secret.name`]: secretName,
    [`${prefix}service-account.name`]: serviceAccount.name,
    [`${prefix}service-account.uid`]: serviceAccount.uid,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  });
}

interface TokenSecret extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Accepts the tokens of Secrets of type `kubernetes.io/service-account-token`, as long as the Secret still holds the
 * token and the service account exists. Records the date of last use on the Secret. Mirrors the legacy validator
 * (1.36).
 */
export class LegacyTokens {
  readonly #tokens: ServiceAccountTokens;
  readonly #read: ReadObject;
  readonly #handle: () => ApiHandler;
  readonly #onError: (error: unknown) => void;

  constructor(options: {
    readonly tokens: ServiceAccountTokens;
    readonly read: ReadObject;
    /** The API server, which writes the date of last use to the Secret. */
    readonly handle: () => ApiHandler;
    readonly onError: (error: unknown) => void;
  }) {
    this.#tokens = options.tokens;
    this.#read = options.read;
    this.#handle = options.handle;
    this.#onError = options.onError;
  }

  /** Returns the account and the Secret of a valid token; undefined for anything else. */
  async review(token: string): Promise<LegacyToken | undefined> {
    const held = claimsOf(this.#tokens.signedClaims(token));
    if (!held) return undefined;
    const { namespace, serviceAccount, secretName } = held;
    const secret = await this.#read({ group: '', resource: 'secrets', namespace, name: secretName });
    if (!secret || isDeleting(secret) || !holds(secret, token)) return undefined;
    const account = await this.#read({ group: '', resource: 'serviceaccounts', namespace, name: serviceAccount.name });
    if (!account || isDeleting(account) || account.metadata.uid !== serviceAccount.uid) return undefined;
    this.#noteUse(secret).catch(this.#onError);
    return secret.metadata.labels?.[invalidSinceLabel] ? undefined : held;
  }

  async #noteUse({ metadata: { namespace, name, uid, labels } }: KubernetesObject): Promise<void> {
    const nowMs = this.#tokens.clock.now();
    const [today = '', tomorrow] = [nowMs, nowMs + dayMs].map((ms) => formatTime(ms).slice(0, 10));
    const lastUsed = labels?.[lastUsedLabel];
    if (lastUsed === today || lastUsed === tomorrow) return;
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const body = { metadata: { uid, labels: { [lastUsedLabel]: today } } };
    await asServer(this.#handle())('PATCH', path, { body, contentType: 'application/merge-patch+json' });
  }
}

/**
 * Returns the account and the Secret that a legacy token's claims name; undefined if either is missing or they contradict each
 * other.
 */
function claimsOf(claims: Readonly<Record<string, unknown>> | undefined): LegacyToken | undefined {
  if (claims?.['iss'] !== issuer) return undefined;
  const [namespace, secretName, name, uid] = [
    'namespace',
    'secret.name',
    'service-account.name',
    'service-account.uid',
  ].map((key) => claims[`${prefix}${key}`]);
  if (!isText(namespace) || !isText(secretName) || !isText(name) || !isText(uid)) return undefined;
  if (claims['sub'] !== `system:serviceaccount:${namespace}:${name}`) return undefined;
  return { namespace, secretName, serviceAccount: { name, uid } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isDeleting({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}

function holds(secret: TokenSecret, token: string): boolean {
  const [held, given] = [Buffer.from(secret.data?.['token'] ?? '', 'base64'), Buffer.from(token)];
  return held.length === given.length && timingSafeEqual(held, given);
}
