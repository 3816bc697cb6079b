import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '@kubewright/apiserver';
import { ruleAllows } from '../policy-rule.ts';
import type { RbacIndex } from '../rbac-index.ts';
import type { NodeGraph, RelatedKind } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';

type Resource = NonNullable<AuthorizationAttributes['resource']>;

interface NodeRequest {
  readonly node: string;
  readonly verb: string;
  readonly resource: Resource;
}

/**
 * Authorizes nodes, which are the members of `system:nodes`. A node may read its own Node, Lease and CSINode and the objects that
 * its pods refer to. For all other resources, the bootstrap ClusterRole `system:node` decides. The NodeRestriction admission plugin
 * restricts writes further. Mirrors the node authorizer of kube-apiserver (1.36).
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

  /** Access decisions for the resources that nodes may access only in part, by `<group>/<resource>`. */
  readonly #subdivided: Readonly<Record<string, (request: NodeRequest) => AuthorizationDecision>> = {
    '/secrets': (request) => this.#read(request, 'secret'),
    '/configmaps': (request) => this.#read(request, 'configmap'),
    '/persistentvolumeclaims': (request) =>
      request.resource.subresource === 'status'
        ? this.#updateStatus(request, 'persistentvolumeclaim')
        : this.#get(request, 'persistentvolumeclaim'),
    '/persistentvolumes': (request) => this.#get(request, 'persistentvolume'),
    'resource.k8s.io/resourceclaims': (request) => this.#get(request, 'resourceclaim'),
    'storage.k8s.io/volumeattachments': (request) => this.#get(request, 'volumeattachment'),
    '/serviceaccounts': (request) => this.#serviceAccount(request),
    'coordination.k8s.io/leases': lease,
    'storage.k8s.io/csinodes': csiNode,
    'resource.k8s.io/resourceslices': (request) => this.#resourceSlice(request),
    '/nodes': node,
    '/pods': (request) => this.#pod(request),
    // Upstream's feature gate for pod certificates is off in 1.36.
    'certificates.k8s.io/podcertificaterequests': () => noOpinion(''),
  };

  #read(request: NodeRequest, kind: RelatedKind): AuthorizationDecision {
    if (!['get', 'list', 'watch'].includes(request.verb)) return noOpinion('can only read resources of this type');
    if (request.resource.subresource !== '') return noOpinion('cannot read subresource');
    if (request.resource.namespace === '') return noOpinion('can only read namespaced object of this type');
    return this.#ifRelated(request, kind);
  }

  #get(request: NodeRequest, kind: RelatedKind): AuthorizationDecision {
    if (request.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (request.resource.subresource !== '') return noOpinion('cannot get subresource');
    return this.#ifRelated(request, kind);
  }

  #updateStatus(request: NodeRequest, kind: RelatedKind): AuthorizationDecision {
    if (request.verb !== 'update' && request.verb !== 'patch') return noOpinion('can only get/update/patch this type');
    return this.#ifRelated(request, kind);
  }

  #serviceAccount(request: NodeRequest): AuthorizationDecision {
    const { subresource, name } = request.resource;
    if (request.verb === 'get' && subresource === '') return this.#read(request, 'serviceaccount');
    if (request.verb !== 'create' || name === '') {
      return noOpinion('can only create tokens for individual service accounts');
    }
    if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
    return this.#ifRelated(request, 'serviceaccount');
  }

  #resourceSlice(request: NodeRequest): AuthorizationDecision {
    const { verb, resource } = request;
    if (resource.subresource !== '') return noOpinion('cannot authorize ResourceSlice subresources');
    switch (verb) {
      case 'create':
        return allow;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#ifRelated(request, 'resourceslice');
      case 'watch':
      case 'list':
      case 'deletecollection':
        if (resource.fieldSelector?.exactValue('spec.nodeName') === request.node) return allow;
        return noOpinion('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return noOpinion(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  #pod(request: NodeRequest): AuthorizationDecision {
    const { verb, resource } = request;
    switch (`${verb} ${resource.subresource}`) {
      case 'get ':
        return this.#ifRelated(request, 'pod');
      case 'list ':
      case 'watch ':
        if (resource.fieldSelector?.exactValue('spec.nodeName') === request.node) return allow;
        if (resource.name !== '') return this.#ifRelated(request, 'pod');
        return noOpinion('can only list/watch pods with spec.nodeName field selector');
      // The NodeRestriction admission plugin limits these verbs to the node's own pods.
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

  #ifRelated({ node, resource }: NodeRequest, kind: RelatedKind): AuthorizationDecision {
    const { namespace, name } = resource;
    if (name === '') return noOpinion('No Object name found');
    if (this.#graph.isRelated(node, { kind, namespace, name })) return allow;
    return noOpinion(`no relationship found between node '${node}' and this object`);
  }
}

function lease({ node, verb, resource }: NodeRequest): AuthorizationDecision {
  if (!ownObjectVerbs.includes(verb)) {
    return noOpinion('can only get, create, update, patch, or delete a node lease');
  }
  if (resource.namespace !== 'kube-node-lease') {
    return noOpinion('can only access leases in the "kube-node-lease" system namespace');
  }
  // The authorizer does not get the object's name on create, so admission checks it.
  if (verb === 'create' || resource.name === node) return allow;
  return noOpinion('can only access node lease with the same name as the requesting node');
}

function csiNode({ node, verb, resource }: NodeRequest): AuthorizationDecision {
  if (!ownObjectVerbs.includes(verb)) return noOpinion('can only get, create, update, patch, or delete a CSINode');
  if (resource.subresource !== '') return noOpinion('cannot authorize CSINode subresources');
  if (verb === 'create' || resource.name === node) return allow;
  return noOpinion('can only access CSINode with the same name as the requesting node');
}

/**
 * Authorizes by name instead of by the graph, because a node must be allowed to read its Node before the Node exists.
 */
function node({ node: own, verb, resource }: NodeRequest): AuthorizationDecision {
  const { name, subresource } = resource;
  const writes = verb === 'update' || verb === 'patch';
  if (subresource === 'status' && writes) return allow;
  if (subresource !== '') return noOpinion('');
  // The NodeRestriction admission plugin limits writes to the node's own Node.
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
