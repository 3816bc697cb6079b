import type { groupVersionDocument } from '@kubewright/schema/internal';
import type { KindModel } from '../compiler/find-kinds.ts';
import type { BuiltCrd } from '../crd/build-crds.ts';
import type { CrdVersion } from '../crd/crd.ts';
import type { Problems } from '../problem.ts';

type DocumentedResource = Parameters<typeof groupVersionDocument>[0][number];

/** A group version that an aggregated API server serves. */
export interface AggregatedVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly KindModel[];
  readonly resources: readonly DocumentedResource[];
}

/** The verbs of custom resources. An aggregated server is assumed to support all of them. */
const servedVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const viewVerbs = ['get', 'patch', 'update'];

/**
 * Collects the group versions that aggregated API servers serve. Reports kinds of these group versions that have a CRD,
 * because an APIService always covers a whole group version.
 */
export function aggregatedVersions(
  built: readonly BuiltCrd[],
  { problems }: { readonly problems: Problems },
): readonly AggregatedVersion[] {
  const found = new Map<string, AggregatedVersion>();
  for (const one of built.filter(isAggregated)) {
    for (const [index, kind] of one.kinds.entries()) {
      const version = one.crd.spec.versions[index];
      if (version === undefined || !version.served) continue;
      const { group } = one.crd.spec;
      const name = `${group}/${version.name}`;
      const { kinds = [], resources = [] } = found.get(name) ?? {};
      found.set(name, {
        group,
        version: version.name,
        kinds: [...kinds, kind],
        resources: [...resources, resourceOf(one, { kind, version })],
      });
    }
  }
  for (const kind of built.filter((one) => !isAggregated(one)).flatMap(({ kinds }) => kinds)) {
    const other = found.get(`${kind.group}/${kind.version}`)?.kinds[0];
    if (other === undefined) continue;
    problems.add(kind.at, {
      code: 'KW6701',
      what: `${kind.kind} has a CRD in ${kind.group}/${kind.version}, but an aggregated API server serves ${other.kind} in the same group version`,
      why: 'an APIService delegates a whole group version to one server',
      fix: `set servedBy: 'aggregated' for ${kind.kind} too, or move it to another group or version`,
    });
  }
  return [...found.values()].sort((a, b) => (`${a.group} ${a.version}` < `${b.group} ${b.version}` ? -1 : 1));
}

/** True if an aggregated server serves the kind, so that no CRD is generated. */
export function isAggregated({ kinds }: BuiltCrd): boolean {
  return kinds[0]?.servedBy === 'aggregated';
}

function resourceOf(
  { crd }: BuiltCrd,
  { kind, version }: { readonly kind: KindModel; readonly version: CrdVersion },
): DocumentedResource {
  const { group, names, scope } = crd.spec;
  const own = { group, version: version.name, kind: names.kind };
  const views = { verbs: viewVerbs };
  return {
    ...own,
    resource: names.plural,
    listKind: names.listKind ?? `${names.kind}List`,
    scope,
    verbs: kind.verbs ?? servedVerbs,
    custom: true,
    openApiSchema: version.schema?.openAPIV3Schema,
    subresources: new Map([
      ...(version.subresources?.status ? [['status', { ...own, ...views }] as const] : []),
      ...(version.subresources?.scale
        ? [['scale', { group: 'autoscaling', version: 'v1', kind: 'Scale', ...views }] as const]
        : []),
    ]),
  };
}
