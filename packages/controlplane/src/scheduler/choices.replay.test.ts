import { readFileSync } from 'node:fs';
import { LabelSelector, type Stored, seededRandom } from '@kubewright/apimachinery';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { type PendingPod, pendingPod } from './cluster/pod-info.ts';
import type { ClusterView } from './framework/cluster-view.ts';
import { explain } from './framework/fit-error.ts';
import { preempt } from './plugins/default-preemption.ts';
import { defaultPlugins } from './plugins/index.ts';
import { schedulePod } from './schedule-pod.ts';
import { namespaces, type RandomCluster, randomCluster } from './testdata/clusters.mjs';
import { testView } from './testdata/test-view.ts';

/** The recorded result of kube-scheduler for one pod. */
type Outcome =
  | { readonly node: string }
  | { readonly message: string }
  | { readonly nominated: string; readonly victims: readonly string[] };

const recorded = JSON.parse(
  readFileSync(new URL('./testdata/choices-1.36.3.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, Outcome>>>>;

const identified = <T extends Node | Pod | PersistentVolume | PersistentVolumeClaim>(
  objects: readonly T[],
): readonly Stored<T>[] => objects.map((object) => stored(object));

function viewFor(cluster: RandomCluster, pod: PendingPod): ClusterView {
  const { nodes, running, services, volumes, claims, storageClasses } = cluster;
  const view = testView({
    nodes: identified(nodes),
    pods: identified(running),
    volumes: identified(volumes),
    claims: identified(claims).filter(({ metadata }) => metadata.namespace === pod.namespace),
    storageClasses,
    // The API server adds this label to every namespace.
    namespaces: Object.fromEntries(
      Object.entries(namespaces).map(([name, labels]) => [name, { ...labels, 'kubernetes.io/metadata.name': name }]),
    ),
  });
  const selecting = services.filter(({ metadata, spec }) => {
    return metadata.namespace === pod.namespace && LabelSelector.ofLabels(spec?.selector ?? {}).matches(pod.labels);
  });
  const labels = Object.assign({}, ...selecting.map(({ spec }) => spec?.selector)) as Record<string, string>;
  return { ...view, objects: { ...view.objects, workloadSelector: () => LabelSelector.ofLabels(labels) } };
}

/** Decides as the scheduler does. Of several nodes with the best score, returns the expected node. */
function decide(pod: PendingPod, view: ClusterView, expected: Outcome): Outcome {
  const random = seededRandom(1);
  const choice = schedulePod(pod, { plugins: defaultPlugins, view, nominated: () => [], random, start: { index: 0 } });
  if ('node' in choice) {
    const best = choice.best.map(({ name }) => name);
    return { node: 'node' in expected && best.includes(expected.node) ? expected.node : best.sort().join(' or ') };
  }
  const { diagnosis, filters } = choice;
  const result = preempt(pod, { diagnosis, filters, view, random, nowMs: Date.UTC(2026, 10, 1) });
  if ('message' in result) return { message: explain(diagnosis, result.message) };
  return { nominated: result.victims.node.name, victims: result.victims.pods.map(({ name }) => name).sort() };
}

describe('scheduling decisions', () => {
  it.each(Object.keys(recorded))('match those of kube-scheduler on the random cluster with seed=%s', (seed) => {
    const cluster = randomCluster(Number(seed));
    const outcomes: Record<string, Outcome> = {};
    for (const each of cluster.pending) {
      const { name = '' } = each.metadata;
      const pod = pendingPod(stored(each));
      outcomes[name] = decide(pod, viewFor(cluster, pod), recorded[seed]?.[name] ?? { message: 'not recorded' });
    }
    expect(outcomes).toEqual(recorded[seed]);
  });

  it('include pods that fit, pods that fit nowhere, and preemption', () => {
    const all = Object.values(recorded).flatMap((outcomes) => Object.values(outcomes));
    for (const kind of ['node', 'message', 'nominated']) {
      expect(all.filter((outcome) => kind in outcome).length).toBeGreaterThan(10);
    }
  });
});
