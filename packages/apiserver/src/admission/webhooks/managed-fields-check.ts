import type { Draft } from '../../registry/strategy.ts';

/** Reverts a webhook's change to managed fields if it makes them invalid, and warns, as upstream does (1.36). */
export function keepManagedFieldsValid(
  object: Draft,
  options: { readonly before: unknown; warn(text: string): void },
): void {
  const after = object.metadata?.['managedFields'];
  if (after === options.before || after === undefined) return;
  const fault = faultOf(after);
  if (fault === undefined) return;
  if (options.before === undefined) delete object.metadata['managedFields'];
  else object.metadata['managedFields'] = options.before;
  options.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  );
}

function faultOf(entries: unknown): string | undefined {
  if (!Array.isArray(entries)) return 'managedFields must be a list';
  for (const entry of entries as readonly Readonly<Record<string, unknown>>[]) {
    if (entry['operation'] !== 'Apply' && entry['operation'] !== 'Update')
      return 'operation must be `Apply` or `Update`';
    if (entry['fieldsType'] !== 'FieldsV1') return `unsupported fieldsType "${String(entry['fieldsType'] ?? '')}"`;
    const fields = entry['fieldsV1'];
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      return 'fieldsV1 is not a valid field set';
  }
  return undefined;
}
