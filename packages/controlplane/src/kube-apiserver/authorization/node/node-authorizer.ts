import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '@kubewright/apiserver';
import { ruleAllows } from '../policy-rule.ts';
import type { RbacIndex } from '../rbac-index.ts';
import type { NodeGraph, RelatedKind } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';

type Resource = NonNullable<AuthorizationAttributes['resource']>;

interface Asked {
  readonly node: string;
  readonly verb: string;
  readonly resource: Resource;
}

/**
 * Authorizes members of `system:nodes`. A node may read the objects its pods refer to and its own Node, Lease and CSINode; for
 * other resources, the bootstrap ClusterRole `system:node` applies. The NodeRestriction admission plugin restricts its writes
 * further. Mirrors the node authorizer of kube-apiserver (1.36).
 */
export class NodeAuthorizer implements Authorizer {
  readonly #index: RbacIndex;
  readonly #graph: NodeGraph;

  constructor(options: { readonly index: RbacIndex; readonly graph: NodeGraph }) {
    this.#index = options.index;
    this.#graph = options.graph;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    const { user, verb, resource } = attributes;
    const node = nodeNameOf(user);
    if (node === undefined) return noOpinion('');
    if (node === '') return noOpinion(`unknown node for user ${JSON.stringify(user.username)}`);
    const decide = resource && this.#subdivided[`${resource.group}/${resource.resource}`];
    if (decide) return decide({ node, verb, resource });
    const rules = this.#index.role('', { kind: 'ClusterRole', name: 'system:node' }) ?? [];
    return rules.some((rule) => ruleAllows(rule, attributes)) ? allow : noOpinion('');
  }

  /** Resources of which a node may access only some objects, by `<group>/<resource>`. */
  readonly #subdivided: Readonly<Record<string, (asked: Asked) => AuthorizationDecision>> = {
    '/secrets': (asked) => this.#read(asked, 'secret'),
    '/configmaps': (asked) => this.#read(asked, 'configmap'),
    '/persistentvolumeclaims': (asked) =>
      asked.resource.subresource === 'status'
        ? this.#updateStatus(asked, 'persistentvolumeclaim')
        : this.#get(asked, 'persistentvolumeclaim'),
    '/persistentvolumes': (asked) => this.#get(asked, 'persistentvolume'),
    'resource.k8s.io/resourceclaims': (asked) => this.#get(asked, 'resourceclaim'),
    'storage.k8s.io/volumeattachments': (asked) => this.#get(asked, 'volumeattachment'),
    '/serviceaccounts': (asked) => this.#serviceAccount(asked),
    'coordination.k8s.io/leases': lease,
    'storage.k8s.io/csinodes': csiNode,
    'resource.k8s.io/resourceslices': (asked) => this.#resourceSlice(asked),
    '/nodes': node,
    '/pods': (asked) => this.#pod(asked),
    // Behind a feature gate that is off in 1.36.
    'certificates.k8s.io/podcertificaterequests': () => noOpinion(''),
  };

  #read(asked: Asked, kind: RelatedKind): AuthorizationDecision {
    if (!['get', 'list', 'watch'].includes(asked.verb)) return noOpinion('can only read resources of this type');
    if (asked.resource.subresource !== '') return noOpinion('cannot read subresource');
    if (asked.resource.namespace === '') return noOpinion('can only read namespaced object of this type');
    return this.#ifRelated(asked, kind);
  }

  #get(asked: Asked, kind: RelatedKind): AuthorizationDecision {
    if (asked.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (asked.resource.subresource !== '') return noOpinion('cannot get subresource');
    return this.#ifRelated(asked, kind);
  }

  #updateStatus(asked: Asked, kind: RelatedKind): AuthorizationDecision {
    if (asked.verb !== 'update' && asked.verb !== 'patch') return noOpinion('can only get/update/patch this type');
    return this.#ifRelated(asked, kind);
  }

  #serviceAccount(asked: Asked): AuthorizationDecision {
    const { subresource, name } = asked.resource;
    if (asked.verb === 'get' && subresource === '') return this.#read(asked, 'serviceaccount');
    if (asked.verb !== 'create' || name === '') {
      return noOpinion('can only create tokens for individual service accounts');
    }
    if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
    return this.#ifRelated(asked, 'serviceaccount');
  }

  #resourceSlice(asked: Asked): AuthorizationDecision {
    const { verb, resource } = asked;
    if (resource.subresource !== '') return noOpinion('cannot authorize ResourceSlice subresources');
    switch (verb) {
      case 'create':
        return allow;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#ifRelated(asked, 'resourceslice');
      case 'watch':
      case 'list':
      case 'deletecollection':
        if (resource.fieldSelector?.exactValue('spec.nodeName') === asked.node) return allow;
        return noOpinion('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return noOpinion(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  #pod(asked: Asked): AuthorizationDecision {
    const { verb, resource } = asked;
    switch (`${verb} ${resource.subresource}`) {
      case 'get ':
        return this.#ifRelated(asked, 'pod');
      case 'list ':
      case 'watch ':
        if (resource.fieldSelector?.exactValue('spec.nodeName') === asked.node) return allow;
        if (resource.name !== '') return this.#ifRelated(asked, 'pod');
        return noOpinion('can only list/watch pods with spec.nodeName field selector');
      // The NodeRestriction admission plugin restricts which pods.
      case 'create ':
      case 'delete ':
      case 'update status':
      case 'patch status':
      case 'create eviction':
        return allow;
      default:
        return noOpinion('');
    }
  }

  #ifRelated({ node, resource }: Asked, kind: RelatedKind): AuthorizationDecision {
    const { namespace, name } = resource;
    if (name === '') return noOpinion('No Object name found');
    if (this.#graph.isRelated(node, { kind, namespace, name })) return allow;
    return noOpinion(`no relationship found between node '${node}' and this object`);
  }
}

function lease({ node, verb, resource }: Asked): AuthorizationDecision {
  if (!ownObjectVerbs.includes(verb)) {
    return noOpinion('can only get, create, update, patch, or delete a node lease');
  }
  if (resource.namespace !== 'kube-node-lease') {
    return noOpinion('can only access leases in the "kube-node-lease" system namespace');
  }
  // On create, only admission knows the object's name.
  if (verb === 'create' || resource.name === node) return allow;
  return noOpinion('can only access node lease with the same name as the requesting node');
}

function csiNode({ node, verb, resource }: Asked): AuthorizationDecision {
  if (!ownObjectVerbs.includes(verb)) return noOpinion('can only get, create, update, patch, or delete a CSINode');
  if (resource.subresource !== '') return noOpinion('cannot authorize CSINode subresources');
  if (verb === 'create' || resource.name === node) return allow;
  return noOpinion('can only access CSINode with the same name as the requesting node');
}

/** Authorizes by name, without the graph: a node reads its Node object before it exists. */
function node({ node: own, verb, resource }: Asked): AuthorizationDecision {
  const { name, subresource } = resource;
  const writes = verb === 'update' || verb === 'patch';
  if (subresource === 'status' && writes) return allow;
  if (subresource !== '') return noOpinion('');
  // The NodeRestriction admission plugin restricts which nodes.
  if (writes || verb === 'create') return allow;
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return noOpinion('');
  if (name === own) return allow;
  const what = name === '' ? 'all nodes' : `'${name}'`;
  return noOpinion(`node '${own}' cannot read ${what}, only its own Node object`);
}

const ownObjectVerbs: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];

const allow: AuthorizationDecision = { decision: 'allow', reason: '' };

function noOpinion(reason: string): AuthorizationDecision {
  return { decision: 'no-opinion', reason };
}
