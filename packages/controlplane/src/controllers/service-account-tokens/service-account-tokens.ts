import { isConflict, isNotFound, type KubernetesObject, type ObjectKey, type Stored } from '@kubewright/apimachinery';
import { Secret, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import {
  type EventHandler,
  type ReconcileRequest,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { deleteObject } from '../object-writes.ts';
import { accountOf, filledSecret, isAccount, type TokenAccount, tokenSecretType } from './token-secret.ts';

/** Options for {@link serviceAccountTokensController}. */
export interface ServiceAccountTokensOptions {
  /** The CA certificate (PEM) of the API server. */
  readonly ca: string;
  /** Issues the token that is stored in a Secret. */
  readonly issueToken: (token: {
    readonly namespace: string;
    readonly serviceAccount: TokenAccount;
    readonly secretName: string;
  }) => string;
}

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` with a token, the CA certificate and the namespace.
 * Deletes these Secrets if their service account does not exist. Mirrors the service account token controller (1.36).
 */
export function serviceAccountTokensController(options: ServiceAccountTokensOptions): BuiltInController {
  const tokens = new ServiceAccountTokens(options);
  return {
    account: 'tokens-controller',
    actsAsManager: true,
    definition: requestController({
      name: 'serviceaccount-token-controller',
      for: Secret,
      maxConcurrentReconciles: 5,
      watches: [
        watch(Secret, tokens.secretChanged, { fieldSelector: `type=${tokenSecretType}` }),
        watch(ServiceAccount, tokens.accountChanged),
      ],
      reconcile: (request, ctx) => tokens.reconcile(request, ctx),
    }),
  };
}

class ServiceAccountTokens {
  readonly #options: ServiceAccountTokensOptions;
  /** The Secrets of each account, by the account's key. */
  readonly #secrets = new Map<string, Map<string, ObjectKey>>();
  /** The accounts of deleted Secrets, by the Secret's key. */
  readonly #deleted = new Map<string, TokenAccount>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  readonly secretChanged: EventHandler<Secret> = ({ type, object }, context) => {
    const account = accountOf({ metadata: { annotations: object.annotations } });
    const accountKey = keyOf({ namespace: object.namespace, name: account.name });
    const secrets = this.#secrets.get(accountKey) ?? new Map<string, ObjectKey>();
    if (type === 'delete') {
      secrets.delete(object.name);
      this.#deleted.set(keyOf(object), account);
    } else secrets.set(object.name, object.key);
    if (secrets.size > 0) this.#secrets.set(accountKey, secrets);
    else this.#secrets.delete(accountKey);
    context.enqueue(object.key);
  };

  readonly accountChanged: EventHandler<ServiceAccount> = ({ type, object }, context) => {
    if (type === 'update') return;
    for (const secret of this.#secrets.get(keyOf(object))?.values() ?? []) context.enqueue(secret);
  };

  async reconcile(request: ReconcileRequest, ctx: RequestContext): Promise<undefined> {
    const secret = ctx.cache.lister(Secret).get(request);
    if (!secret) {
      const account = this.#deleted.get(keyOf(request));
      if (account) await removeReference(request, { account, ctx });
      this.#deleted.delete(keyOf(request));
      return undefined;
    }
    this.#deleted.delete(keyOf(request));
    const account = await accountFor(secret, ctx);
    if (account) await this.#fill(secret, { account, ctx });
    else await deleteObject(ctx, { kind: Secret, object: secret });
    return undefined;
  }

  async #fill(
    cached: Stored<Secret>,
    { account, ctx }: { readonly account: TokenAccount; readonly ctx: RequestContext },
  ) {
    const { ca, issueToken } = this.#options;
    const { namespace, name, resourceVersion } = cached.metadata;
    const issue = (): string => issueToken({ namespace, serviceAccount: account, secretName: name });
    if (!filledSecret(cached, { account, ca, issue: () => '-' })) return;
    const secrets = ctx.client.resource(Secret);
    try {
      const live = await secrets.get({ namespace, name }, { signal: ctx.signal });
      // The cache is stale. An event with the newer version follows.
      if (live.metadata.resourceVersion !== resourceVersion) return;
      const filled = filledSecret(live, { account, ca, issue });
      if (filled) await secrets.update(filled, { signal: ctx.signal });
    } catch (error) {
      // Either another client changed the Secret, and an event follows, or the Secret was deleted.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}

/** Returns the account that a Secret names. Reads the account live if the cache does not have it. */
async function accountFor(secret: Stored<Secret>, ctx: RequestContext): Promise<TokenAccount | undefined> {
  const wanted = accountOf(secret);
  const { namespace } = secret.metadata;
  const key = { namespace, name: wanted.name };
  const cached = ctx.cache.lister(ServiceAccount).get(key);
  const found = isAccount(wanted, cached) ? cached : await existing(ctx, key);
  return isAccount(wanted, found) ? { name: wanted.name, uid: found?.metadata.uid ?? '' } : undefined;
}

/** Removes a deleted Secret from the `secrets` list of its account. */
async function removeReference(
  { namespace = '', name }: ReconcileRequest,
  { account, ctx }: { readonly account: TokenAccount; readonly ctx: RequestContext },
): Promise<void> {
  const key = { namespace, name: account.name };
  if (!isAccount(account, ctx.cache.lister(ServiceAccount).get(key))) return;
  const live = await existing(ctx, key);
  if (!live || !isAccount(account, live) || !live.secrets?.some((each) => each.name === name)) return;
  const secrets = live.secrets.filter((each) => each.name !== name);
  try {
    await ctx.client.resource(ServiceAccount).update({ ...live, secrets }, { signal: ctx.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function existing(ctx: RequestContext, key: ObjectKey): Promise<Stored<ServiceAccount> | undefined> {
  try {
    return await ctx.client.resource(ServiceAccount).get(key, { signal: ctx.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

function keyOf({ namespace, name }: Pick<KubernetesObject['metadata'], 'namespace' | 'name'>): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}
