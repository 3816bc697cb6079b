import { Buffer } from 'node:buffer';
import type { Storage, StoredObject } from '../../storage/storage.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';
import { ruleAllows } from './policy-rule.ts';
import type { RbacIndex } from './rbac-index.ts';

const USERNAME_PREFIX = 'system:node:';

/** What a pod means for its node. */
interface PodPlace {
  readonly node: string | undefined;
  readonly account: string;
}

/**
 * Gives members of `system:nodes` what the bootstrap ClusterRole `system:node` says, but tokens only of accounts whose
 * pods run on that very node: a token of any other account could make a node whatever it likes. Unlike upstream's node
 * authorizer it keeps no graph: a node may read secrets and config maps of pods that run elsewhere.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #index: RbacIndex;
  readonly #storage: Storage;
  readonly #places = new WeakMap<Uint8Array, PodPlace>();

  constructor(index: RbacIndex, storage: Storage) {
    this.#index = index;
    this.#storage = storage;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { username, groups } = attributes.user;
    if (!groups.includes('system:nodes') || !username.startsWith(USERNAME_PREFIX)) return NO_OPINION;
    const rules = this.#index.role('', { kind: 'ClusterRole', name: 'system:node' }) ?? [];
    if (!rules.some((rule) => ruleAllows(rule, attributes))) return NO_OPINION;
    const { resource } = attributes;
    if (resource?.group === '' && resource.resource === 'serviceaccounts' && resource.subresource === 'token') {
      const node = username.slice(USERNAME_PREFIX.length);
      if (!(await this.#runsPodOf(node, { namespace: resource.namespace, account: resource.name }))) {
        return { decision: 'no-opinion', reason: `no relationship found between node '${node}' and this object` };
      }
    }
    return { decision: 'allow', reason: '' };
  }

  async #runsPodOf(
    node: string,
    { namespace, account }: { readonly namespace: string; readonly account: string },
  ): Promise<boolean> {
    if (namespace === '') return false;
    const { objects } = await this.#storage.list({ prefix: `/registry/pods/${namespace}/` });
    return objects.some((stored) => {
      const place = this.#place(stored);
      return place.node === node && place.account === account;
    });
  }

  #place({ bytes }: StoredObject): PodPlace {
    let place = this.#places.get(bytes);
    if (place === undefined) {
      // What the server stored below this prefix is a pod.
      const { spec } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
        readonly spec?: { readonly nodeName?: string; readonly serviceAccountName?: string };
      };
      place = { node: spec?.nodeName, account: spec?.serviceAccountName ?? 'default' };
      this.#places.set(bytes, place);
    }
    return place;
  }
}

const NO_OPINION: AuthorizationDecision = { decision: 'no-opinion', reason: '' };
