import { type GenerateOptions, kindRandom } from '../generate-requests.ts';
import { KindChanges } from '../kind-changes.ts';
import { operationsOf } from '../parity-request.ts';
import { generateReads } from './generate-reads.ts';
import { generateWrites } from './generate-writes.ts';
import type { Sequence } from './sequence.ts';

/**
 * Resources to skip, because their stored objects affect other sequences: a ServiceCIDR would supply the addresses of
 * other sequences' Services.
 */
const actsOnAll: ReadonlySet<string> = new Set(['servicecidrs']);

/**
 * Generates sequences for every kind that no controller in the API server writes. The same seed generates the same
 * sequences. The names of objects contain the last six digits of the seed, because names are short.
 */
export function generateSequences({ kinds, documents, seed, perKind }: GenerateOptions): readonly Sequence[] {
  return kinds
    .filter((kind) => operationsOf(kind).length > 1 && !actsOnAll.has(kind.resource))
    .flatMap((kind) => {
      const random = kindRandom(kind, seed);
      const changes = new KindChanges(kind, { document: documents.get(kind.apiVersion), random });
      return Array.from({ length: perKind }, (_, index) => {
        const writes = generateWrites({ kind, changes, random });
        const reads = generateReads(kind, { writes: writes.length, random });
        return { kind: kind.id, seed: (seed % 1_000_000) * 1000 + index, writes, reads };
      });
    });
}
