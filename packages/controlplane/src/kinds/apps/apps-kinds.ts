import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import { copyJson } from '../copy-json.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../generated/drafts.ts';
import { semanticEqual } from '../validation/check.ts';
import { workloadScale } from '../workload-scale.ts';

const templateGeneration = 'deprecated.daemonset.template.generation';

/** Kinds of the apps group. */
export const appsKinds: readonly BuiltinKind[] = [
  builtinKind<ControllerRevision>({ resource: 'apps/v1/controllerrevisions', struct: 'appsv1.ControllerRevision' }),
  builtinKind<DaemonSet>({
    resource: 'apps/v1/daemonsets',
    struct: 'appsv1.DaemonSet',
    generation: 'spec',
    conversionAnnotations: [templateGeneration],
    strategy: {
      // Upstream still counts template changes in this annotation, for a removed API version.
      prepareForCreate: ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, [templateGeneration]: '1' };
      },
      prepareForUpdate(daemonSet, old) {
        const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
        const changed = !semanticEqual(daemonSet.spec.template, old.spec.template);
        const { annotations } = daemonSet.metadata;
        daemonSet.metadata.annotations = {
          ...annotations,
          [templateGeneration]: String(changed ? before + 1 : before),
        };
      },
    },
  }),
  builtinKind<Deployment>({
    resource: 'apps/v1/deployments',
    struct: 'appsv1.Deployment',
    generation: 'spec',
    scale: workloadScale,
    strategy: {
      // The controller copies annotations to ReplicaSets, so a change of annotations changes the desired state.
      prepareForUpdate({ metadata }, old) {
        const moved = !semanticEqual(metadata.annotations, old.metadata.annotations);
        if (moved) metadata.generation = (old.metadata.generation ?? 0) + 1;
      },
    },
    subresources: {
      status: {
        // Labels can be changed only through the main resource.
        prepareForUpdate({ metadata }, old) {
          if (old.metadata.labels) metadata.labels = copyJson(old.metadata.labels);
          else delete metadata.labels;
        },
        resets: [['spec'], ['metadata', 'labels']],
      },
    },
  }),
  builtinKind<ReplicaSet>({
    resource: 'apps/v1/replicasets',
    struct: 'appsv1.ReplicaSet',
    generation: 'spec',
    scale: workloadScale,
  }),
  builtinKind<StatefulSet>({
    resource: 'apps/v1/statefulsets',
    struct: 'appsv1.StatefulSet',
    generation: 'spec',
    scale: workloadScale,
    strategy: { prepareForCreate: dropMaxUnavailable, prepareForUpdate: dropMaxUnavailable },
  }),
];

/** Drops a field whose feature (`MaxUnavailableStatefulSet`) is off by default in 1.36, as upstream does. */
function dropMaxUnavailable({ spec }: StatefulSet): void {
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}
