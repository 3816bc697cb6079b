import { createPrivateKey, createPublicKey } from 'node:crypto';
import {
  type ApiHandler,
  type Authenticator,
  type Authorizer,
  certificateAuthenticator,
  StaticTokenAuthenticator,
  superuserAuthorizer,
  UnionAuthorizer,
} from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import { LegacyTokens, ServiceAccountAuthenticator, ServiceAccountTokens } from './authentication/index.ts';
import { NodeAuthorizer, NodeGraph, RbacAuthorizer, RbacIndex } from './authorization/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Authenticates callers and authorizes their requests. Follows the stored roles, bindings and pods on which decisions depend. */
export class AccessControl implements Disposable {
  readonly tokens: ServiceAccountTokens;
  readonly serviceAccounts: ServiceAccountAuthenticator;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly rbac: RbacIndex = new RbacIndex();
  readonly #nodes = new NodeGraph();
  readonly #options: ControlPlaneOptions;

  /** @param parts - `handle`: the server itself, which records when tokens are used. */
  constructor(options: ControlPlaneOptions, parts: { readonly read: ReadObject; readonly handle: () => ApiHandler }) {
    const { read } = parts;
    const { clock, random, serviceAccountKey, serviceAccountKeys, tokens = new Map() } = options;
    this.#options = options;
    this.tokens = new ServiceAccountTokens({
      signingKey: createPrivateKey(serviceAccountKey),
      otherKeys: serviceAccountKeys?.map((key) => createPublicKey(key)),
      issuer: options.serviceAccountIssuer,
      clock,
      random,
    });
    const legacy = new LegacyTokens({ tokens: this.tokens, read, handle: parts.handle, onError: options.onError });
    this.serviceAccounts = new ServiceAccountAuthenticator({ tokens: this.tokens, read, legacy });
    this.authenticators = [certificateAuthenticator, new StaticTokenAuthenticator(tokens), this.serviceAccounts];
    this.authorizer =
      options.authorization === 'AlwaysAllow'
        ? alwaysAllow
        : new UnionAuthorizer([
            superuserAuthorizer,
            new NodeAuthorizer({ index: this.rbac, graph: this.#nodes }),
            new RbacAuthorizer(this.rbac),
          ]);
  }

  /** Reads the stored objects on which decisions depend, then follows their changes. */
  async start(): Promise<void> {
    const { storage } = this.#options;
    await this.rbac.start(storage);
    await this.#nodes.start(storage);
  }

  [Symbol.dispose](): void {
    this.rbac[Symbol.dispose]();
    this.#nodes[Symbol.dispose]();
  }
}

/** Permits every request (`--authorization-mode=AlwaysAllow`). */
const alwaysAllow: Authorizer = { authorize: async () => ({ decision: 'allow', reason: '' }) };
