import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { SchemaTools } from '../crd/compile-version.ts';
import { validateCrd } from '../crd/crd-validation.ts';
import { customDefinitions } from '../crd/custom-definitions.ts';
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from '../crd/custom-resource-definition.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { ComputedKind } from './computed-kind.ts';
import { DefinitionError } from './definition-error.ts';
import { type KindConversion, KindConverter } from './kind-conversion.ts';

/** The input of {@link servedKinds}. */
export interface ServedKindsOptions {
  readonly kinds: readonly (Kind<KubernetesObject> | ComputedKind)[];
  /** The specs of CRDs with the verbs of each version, as written by `kubewright generate`. */
  readonly definitions: readonly object[];
  readonly conversions: readonly KindConversion[];
  readonly tools: SchemaTools;
}

/** A CRD's version, with the verbs that the server supports. */
type ServedVersion = CrdVersion & { readonly verbs?: readonly string[] };

/**
 * Defines the resources of an extension API server, in all served versions: the same resources that a CRD with the same spec
 * would define.
 *
 * @throws DefinitionError (KW5302) if a kind has no valid definition, or is computed in only some of its versions
 */
export function servedKinds(options: ServedKindsOptions): readonly ResourceDefinition[] {
  const specs = options.definitions as readonly CrdSpec[]; // validated below
  const computedKinds = new Map<string, ComputedKind>();
  const served = new Map<string, CrdSpec>();
  for (const each of options.kinds) {
    const isComputed = 'handlers' in each;
    const { group, version, kind, plural } = isComputed ? each.kind : each;
    const spec = specs.find((one) => one.group === group && one.names?.kind === kind);
    if (spec?.versions?.some(({ name }) => name === version) !== true) throw missing(`${kind} (${group}/${version})`);
    served.set(`${group}/${plural}`, spec);
    if (isComputed) computedKinds.set(`${group}/${version}/${plural}`, each);
  }
  for (const spec of served.values()) checkComputed(spec, computedKinds);
  return [...served.values()].flatMap((spec) => definitionsOf(spec, { ...options, computedKinds }));
}

function definitionsOf(
  spec: CrdSpec,
  options: ServedKindsOptions & { readonly computedKinds: ReadonlyMap<string, ComputedKind> },
): readonly ResourceDefinition[] {
  const { tools, conversions, computedKinds } = options;
  const crd = definitionObject(spec);
  const faults = validateCrd(crd, tools);
  if (faults.length > 0) throw invalid(crd, faults.map(({ field, body }) => `${field}: ${body}`).join(', '));
  const own = conversions.find(({ group, kind }) => group === spec.group && kind === spec.names.kind);
  const definitions = customDefinitions(crd, {
    ...tools,
    converterOf: (_crd, parts) => own && new KindConverter(own, parts),
  });
  return definitions.map((definition) => {
    const { group, version, resource } = definition;
    const given = spec.versions.find(({ name }) => name === version) as ServedVersion | undefined;
    const computedKind = computedKinds.get(`${group}/${version}/${resource}`);
    if (computedKind !== undefined) return computedDefinition(definition, computedKind);
    const verbs =
      given?.verbs === undefined ? definition.verbs : definition.verbs.filter((verb) => given.verbs?.includes(verb));
    return { ...definition, verbs };
  });
}

/**
 * Rejects a kind that is computed in only some of its versions: the other versions would be stored and serve different
 * objects.
 */
function checkComputed(spec: CrdSpec, computedKinds: ReadonlyMap<string, ComputedKind>): void {
  const { group, names } = spec;
  const served = spec.versions.filter((version) => version.served).map(({ name }) => name);
  const stored = served.filter((version) => !computedKinds.has(`${group}/${version}/${names.plural}`));
  if (stored.length === 0 || stored.length === served.length) return;
  throw new DefinitionError({
    what: `cannot serve ${names.kind} (${group})`,
    why: `some versions of the kind are computed, but not ${stored.join(', ')}`,
    remedy: `pass computed() for ${stored.join(', ')} too, or stop serving ${stored.length === 1 ? 'this version' : 'these versions'}`,
  });
}

function computedDefinition(definition: ResourceDefinition, computed: ComputedKind): ResourceDefinition {
  const { handlers } = computed;
  const { group, version, kind } = definition;
  const isReadable = handlers.get !== undefined;
  for (const verb of ['update', 'delete'] as const) {
    if (handlers[verb] === undefined || isReadable) continue;
    throw new DefinitionError({
      what: `cannot serve ${kind} (${group})`,
      why: `the ${verb} handler of the kind requires a get handler, which reads the object to ${verb}`,
      remedy: 'add a get handler to computed()',
    });
  }
  const verbs = [
    ...(['get', 'list', 'watch', 'create', 'update'] as const).filter((verb) => handlers[verb] !== undefined),
    ...(handlers.update === undefined ? [] : ['patch']),
    ...(handlers.delete === undefined ? [] : ['delete']),
    ...(handlers.delete === undefined || handlers.list === undefined ? [] : ['deletecollection']),
  ];
  const subresources = Object.entries(computed.subresources).map(([name, subresource]) => {
    const { verbs: own = ['get'], kind: body = kind, connect } = subresource;
    return [name, { group, version, kind: body, verbs: own, behavior: { type: 'connect', connect } }] as const;
  });
  return {
    ...definition,
    verbs,
    computed: handlers,
    subresources: new Map(subresources),
    storageVersionHash: undefined,
  };
}

/** Returns the CRD that would define the kind; versions are converted inside the server. */
function definitionObject(spec: CrdSpec): CustomResourceDefinition {
  const { names, group } = spec;
  const { kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group}`,
      // Only CRDs need approval; other servers can serve any group.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, served by an extension API server' },
    },
    spec: { ...spec, names: { ...names, singular, listKind }, conversion: { strategy: 'None' } },
  };
}

function missing(what: string): DefinitionError {
  return new DefinitionError({
    what: `cannot serve ${what}`,
    why: 'no generated definition of the kind was passed',
    remedy:
      "set servedBy: 'aggregated' in the defineKind call, run kubewright generate, and pass config/apiserver/kinds.json as definitions",
  });
}

function invalid({ spec }: CustomResourceDefinition, why: string): DefinitionError {
  return new DefinitionError({
    what: `cannot serve ${spec.names.kind} (${spec.group})`,
    why,
    remedy: 'fix the type of the kind, and run kubewright generate',
  });
}
