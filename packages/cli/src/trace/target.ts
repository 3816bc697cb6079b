import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { ClusterFlags } from '../target/connect.ts';

/** Flags of `trace`. */
export interface TraceOptions extends ClusterFlags {
  readonly namespace?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly steps?: boolean | undefined;
}

/** The workload to trace. */
export interface TraceTarget {
  /** The workload's kind, followed by the kinds of the objects below it: Deployment, ReplicaSet, Pod. */
  readonly kinds: readonly [Kind<KubernetesObject>, ...Kind<KubernetesObject>[]];
  readonly name: string;
}

const chains: readonly (readonly [names: string, kinds: TraceTarget['kinds']])[] = [
  ['deployment deployments deploy', [Deployment, ReplicaSet, Pod]],
  ['replicaset replicasets rs', [ReplicaSet, Pod]],
  ['statefulset statefulsets sts', [StatefulSet, Pod]],
  ['daemonset daemonsets ds', [DaemonSet, Pod]],
  ['cronjob cronjobs cj', [CronJob, Job, Pod]],
  ['job jobs', [Job, Pod]],
  ['pod pods po', [Pod]],
];

/** Parses `deployment/web`, with any of kubectl's names for the kind. Returns an error message if it is invalid. */
export function parseTarget(text: string): TraceTarget | string {
  const [kind = '', name = '', ...rest] = text.split('/');
  const chain = chains.find(([names]) => names.split(' ').includes(kind.toLowerCase()));
  if (name === '' || rest.length > 0) return 'It must be a kind and a name, such as deployment/web.';
  if (chain !== undefined) return { kinds: chain[1], name };
  return `The kind must be one of ${chains.map(([names]) => names.split(' ')[0]).join(', ')}.`;
}
