import type { FieldPath } from '@kubewright/apimachinery';
import type { PersistentVolumeClaimSpec } from '../generated/drafts.ts';
import { billionthsOf } from '../wire/quantity.ts';

/** Returns warnings for claim sizes with fractions of bytes, such as `1500m`. */
export function claimSpecWarnings(spec: PersistentVolumeClaimSpec | undefined, path: FieldPath): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = spec?.resources?.[list]?.['storage'];
    if (amount === undefined || billionthsOf(amount) % 1_000_000_000n === 0n) return [];
    const at = path.child('resources', list).key('storage');
    return [`${at}: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}
