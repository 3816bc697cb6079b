import type { Namespace } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';

/** The remaining content of a namespace that is being deleted. */
export interface Remaining {
  /** The number of remaining objects by resource (`pods.`, `widgets.example.com`). */
  readonly resources: ReadonlyMap<string, number>;
  /** The number of remaining objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The error messages of failed deletions. */
  readonly failures: readonly string[];
}

type NamespaceStatus = NonNullable<Namespace['status']>;
type NamespaceCondition = NonNullable<NamespaceStatus['conditions']>[number];

/**
 * Returns the conditions that report the progress of a namespace's deletion. The transition time of a condition changes only if
 * its status changes.
 */
export function namespaceConditions(
  present: readonly NamespaceCondition[],
  options: { readonly remaining: Remaining; readonly nowMs: number },
): readonly NamespaceCondition[] {
  const { remaining, nowMs } = options;
  const wanted = said(remaining);
  const types = new Set(wanted.map(({ type }) => type));
  const next = wanted.map((condition) => {
    const before = present.find(({ type }) => type === condition.type);
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? formatTime(nowMs) };
  });
  return [...present.filter(({ type }) => !types.has(type)), ...next];
}

function said({ resources, finalizers, failures }: Remaining): readonly NamespaceCondition[] {
  const listed = (counts: ReadonlyMap<string, number>, say: (name: string, count: number) => string): string =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => say(name, count))
      .join(', ');
  const conditions: NamespaceCondition[] = [
    condition('NamespaceDeletionDiscoveryFailure', 'False', [
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ]),
    condition('NamespaceDeletionGroupVersionParsingFailure', 'False', [
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ]),
    failures.length > 0
      ? condition('NamespaceDeletionContentFailure', 'True', [
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
        ])
      : condition('NamespaceDeletionContentFailure', 'False', [
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ]),
  ];
  const found = listed(resources, (name, count) => `${name} has ${count} resource instances`);
  conditions.push(
    resources.size > 0
      ? condition('NamespaceContentRemaining', 'True', [
          'SomeResourcesRemain',
          `Some resources are remaining: ${found}`,
        ])
      : condition('NamespaceContentRemaining', 'False', ['ContentRemoved', 'All content successfully removed']),
  );
  const held = listed(finalizers, (name, count) => `${name} in ${count} resource instances`);
  conditions.push(
    finalizers.size > 0
      ? condition('NamespaceFinalizersRemaining', 'True', [
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${held}`,
        ])
      : condition('NamespaceFinalizersRemaining', 'False', [
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ]),
  );
  return conditions;
}

function condition(type: string, status: string, why: readonly [reason: string, message: string]): NamespaceCondition {
  const [reason, message] = why;
  return { type, status, reason, message };
}
