import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Clock, Random } from '@kubewright/apimachinery';

/** The claims of a service account token: registered claims and Kubernetes' private ones (1.36). */
export interface ServiceAccountClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: BoundObject;
    readonly pod?: BoundObject;
    readonly secret?: BoundObject;
    readonly node?: BoundObject;
    readonly warnafter?: number;
  };
}

/** An object that a token is bound to. Deleting the object invalidates the token. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** The content of a new token. */
export interface TokenRequest {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly pod?: BoundObject | undefined;
  readonly secret?: BoundObject | undefined;
  readonly node?: BoundObject | undefined;
  /** Empty means the server's own audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/**
 * Signs and verifies service account tokens: ES256 JWTs like those of `kube-apiserver` (`--service-account-issuer`). Verified
 * signatures are cached for a limited number of tokens; expiry is checked every time.
 */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  readonly clock: Clock;
  readonly #random: Random;
  readonly #verified = new Map<string, ServiceAccountClaims>();

  constructor(options: {
    readonly signingKey: KeyObject;
    readonly clock: Clock;
    readonly random: Random;
    /** @defaultValue https://kubernetes.default.svc.cluster.local */
    readonly issuer?: string;
  }) {
    this.issuer = options.issuer ?? 'https://kubernetes.default.svc.cluster.local';
    this.#key = options.signingKey;
    this.#publicKey = createPublicKey(options.signingKey);
    this.#keyId = createHash('sha256')
      .update(this.#publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
    this.clock = options.clock;
    this.#random = options.random;
  }

  /** Issues a token. Its `exp` is in seconds since the epoch. */
  issue(request: TokenRequest): { readonly token: string; readonly claims: ServiceAccountClaims } {
    const nowSeconds = Math.floor(this.clock.now() / 1000);
    const { namespace, serviceAccount, pod, secret, node } = request;
    const claims: ServiceAccountClaims = {
      aud: request.audiences.length > 0 ? request.audiences : [this.issuer],
      exp: nowSeconds + request.expirationSeconds,
      iat: nowSeconds,
      iss: this.issuer,
      jti: this.#random.uid(),
      'kubernetes.io': {
        namespace,
        ...(node && { node }),
        ...(pod && { pod }),
        ...(secret && { secret }),
        serviceaccount: serviceAccount,
      },
      nbf: nowSeconds,
      sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    };
    const head = encode({ alg: 'ES256', kid: this.#keyId });
    const body = encode(claims);
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return { token: `${head}.${body}.${signature.toString('base64url')}`, claims };
  }

  /**
   * Reads a currently valid token signed by this server; `undefined` for any other text. The caller must check that the account
   * and the bound objects still exist.
   */
  read(token: string): ServiceAccountClaims | undefined {
    const claims = this.#verified.get(token) ?? this.#verify(token);
    if (claims === undefined) return undefined;
    const nowSeconds = this.clock.now() / 1000;
    return claims.exp > nowSeconds && claims.nbf <= nowSeconds + 5 ? claims : undefined;
  }

  /** Returns the public key as a JSON Web Key Set, for `/openid/v1/jwks`. */
  keySet(): { readonly keys: readonly unknown[] } {
    const key = this.#publicKey.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kid: this.#keyId, alg: 'ES256', ...key }] };
  }

  #verify(token: string): ServiceAccountClaims | undefined {
    if (token.length > 8192) return undefined;
    const [head, body, signature, rest] = token.split('.');
    if (head === undefined || body === undefined || signature === undefined || rest !== undefined) return undefined;
    const header = decode(head);
    if (header?.['alg'] !== 'ES256') return undefined;
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const };
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) return undefined;
    const claims = decode(body);
    if (claims?.['iss'] !== this.issuer) return undefined;
    // Signed by our own key, so it has the shape that issue() gave it.
    const known = claims as unknown as ServiceAccountClaims;
    if (this.#verified.size >= 1000) this.#verified.delete(this.#verified.keys().next().value ?? '');
    this.#verified.set(token, known);
    return known;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not a token: another authenticator may accept it.
    return undefined;
  }
}
