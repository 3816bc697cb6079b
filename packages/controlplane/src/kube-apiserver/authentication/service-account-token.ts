import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Clock, Random } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';

/** The clock skew that is tolerated at both ends of a token's lifetime (go-jose's default, as in upstream). */
const leewaySeconds = 60;

/** The claims of a service account token: registered claims and Kubernetes' private claim (1.36). */
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
  /** If empty, the token is for the server's own audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/**
 * Signs and verifies service account tokens: JWTs like those of `kube-apiserver` (`--service-account-issuer`). Caches verified
 * signatures of a limited number of tokens, but always checks that the token has not expired.
 */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly clock: Clock;
  readonly #signer: TokenKey;
  readonly #keys: readonly TokenKey[];
  readonly #random: Random;
  readonly #verified = new Map<string, ServiceAccountClaims>();

  constructor(options: {
    readonly signingKey: KeyObject;
    /** Public keys of other issuers whose tokens are accepted. @defaultValue none */
    readonly otherKeys?: readonly KeyObject[] | undefined;
    readonly clock: Clock;
    readonly random: Random;
    /** @defaultValue https://kubernetes.default.svc.cluster.local */
    readonly issuer?: string | undefined;
  }) {
    const { signingKey, otherKeys = [], issuer = 'https://kubernetes.default.svc.cluster.local' } = options;
    this.issuer = issuer;
    this.clock = options.clock;
    this.#signer = new TokenKey(createPublicKey(signingKey), signingKey);
    const others = otherKeys.map((key) => new TokenKey(key)).filter(({ id }) => id !== this.#signer.id);
    this.#keys = [this.#signer, ...others];
    this.#random = options.random;
  }

  /** Issues a token. */
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
        ...defined({ node, pod, secret }),
        serviceaccount: serviceAccount,
      },
      nbf: nowSeconds,
      sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    };
    return { token: this.sign(claims), claims };
  }

  /** Signs a token with arbitrary claims. */
  sign(claims: object): string {
    const signed = `${encode({ alg: this.#signer.algorithm, kid: this.#signer.id })}.${encode(claims)}`;
    return `${signed}.${this.#signer.sign(signed)}`;
  }

  /**
   * Returns the claims of a currently valid token signed by this server; undefined for anything else. The caller must check that
   * the account and the bound objects still exist.
   */
  read(token: string): ServiceAccountClaims | undefined {
    const claims = this.#verified.get(token) ?? this.#verify(token);
    if (claims === undefined) return undefined;
    const nowSeconds = this.clock.now() / 1000;
    const isCurrent = claims.exp >= nowSeconds - leewaySeconds && claims.nbf <= nowSeconds + leewaySeconds;
    return isCurrent ? claims : undefined;
  }

  /** The signing algorithms of all keys, such as `ES256`. */
  get algorithms(): readonly string[] {
    return [...new Set(this.#keys.map(({ algorithm }) => algorithm))];
  }

  /** Returns the public keys as a JSON Web Key Set, for `/openid/v1/jwks`. */
  keySet(): { readonly keys: readonly unknown[] } {
    return { keys: this.#keys.map((key) => key.jwk()) };
  }

  #verify(token: string): ServiceAccountClaims | undefined {
    const claims = this.signedClaims(token);
    if (claims?.['iss'] !== this.issuer) return undefined;
    // The token is signed by our own key, so it has the shape that issue() gave it.
    const known = claims as unknown as ServiceAccountClaims;
    if (this.#verified.size >= 1000) this.#verified.delete(this.#verified.keys().next().value ?? '');
    this.#verified.set(token, known);
    return known;
  }

  /** Returns the claims of a token signed by one of the keys, even if the token has expired. */
  signedClaims(token: string): Readonly<Record<string, unknown>> | undefined {
    if (token.length > 8192) return undefined;
    const [head, body, signature, rest] = token.split('.');
    if (head === undefined || body === undefined || signature === undefined || rest !== undefined) return undefined;
    const header = decode(head);
    const candidates = this.#keys.filter(({ algorithm }) => algorithm === header?.['alg']);
    const named = candidates.filter(({ id }) => id === header?.['kid']);
    const keys = named.length > 0 ? named : candidates;
    return keys.some((key) => key.verify(`${head}.${body}`, signature)) ? decode(body) : undefined;
  }
}

/** Signing algorithms by elliptic curve, as in go-jose. */
const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** A key that signs or verifies tokens. kube-apiserver derives the same id and algorithm from it. */
class TokenKey {
  readonly id: string;
  readonly algorithm: string;
  readonly #publicKey: KeyObject;
  readonly #privateKey: KeyObject | undefined;

  constructor(publicKey: KeyObject, privateKey?: KeyObject) {
    this.#publicKey = publicKey;
    this.#privateKey = privateKey;
    this.id = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
    const { asymmetricKeyType, asymmetricKeyDetails } = publicKey;
    const algorithm = asymmetricKeyType === 'rsa' ? 'RS256' : curves[asymmetricKeyDetails?.namedCurve ?? ''];
    if (algorithm === undefined) throw new TypeError(`cannot sign tokens with a key of type ${asymmetricKeyType}`);
    this.algorithm = algorithm;
  }

  get #hash(): string {
    return `sha${this.algorithm.slice(2)}`;
  }

  sign(text: string): string {
    if (!this.#privateKey) throw new TypeError('a public key cannot sign');
    const key = { key: this.#privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return sign(this.#hash, Buffer.from(text), key).toString('base64url');
  }

  verify(text: string, signature: string): boolean {
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' } as const;
    return verify(this.#hash, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  }

  jwk(): unknown {
    return { use: 'sig', kid: this.id, alg: this.algorithm, ...this.#publicKey.export({ format: 'jwk' }) };
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
