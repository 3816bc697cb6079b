import { KubewrightError } from '@kubewright/apimachinery';
import { PathElement } from '@kubewright/apimachinery/internal';
import { compare, type Manager } from './managers.ts';
import type { OwnedByOther } from './ownership.ts';

/** One contested field, in the shape of a `StatusCause`. */
export interface ApplyConflict {
  readonly reason: 'FieldManagerConflict';
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/**
 * Thrown when a server-side apply would change fields that other managers own. `message` and `causes` match the API
 * server's (1.36), which responds with 409 `Conflict`. To resolve it, leave the fields out, set them to the live
 * values, or set `force`.
 */
export class ApplyConflictError extends KubewrightError {
  readonly code = 'KW5009';
  readonly causes: readonly ApplyConflict[];
  /** @internal The contested fields by manager, for the migration from client-side apply. */
  readonly owned: readonly OwnedByOther[];

  constructor(owned: readonly OwnedByOther[]) {
    const sorted = [...owned].sort((a, b) => compare(a.id, b.id));
    super({ what: messageOf(sorted) });
    this.name = 'ApplyConflictError';
    this.owned = sorted;
    this.causes = sorted.flatMap(({ manager, fields }) =>
      fields.paths().map((path) => ({
        reason: 'FieldManagerConflict' as const,
        message: `conflict with ${printManager(manager)}`,
        field: PathElement.formatPath(path),
      })),
    );
  }
}

function messageOf(owned: readonly OwnedByOther[]): string {
  const count = owned.reduce((sum, { fields }) => sum + fields.size, 0);
  if (count === 1 && owned[0] !== undefined) {
    const [path] = owned[0].fields.paths();
    return `Apply failed with 1 conflict: conflict with ${printManager(owned[0].manager)}: ${PathElement.formatPath(path ?? [])}`;
  }
  const lines = owned.flatMap(({ manager, fields }) => [
    `conflicts with ${printManager(manager)}:`,
    ...fields.paths().map((path) => `- ${PathElement.formatPath(path)}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function printManager({ manager, subresource, operation, apiVersion }: Manager): string {
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
