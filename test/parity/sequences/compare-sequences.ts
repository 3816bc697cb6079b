import { causeOf } from '../compare-facts.ts';
import type { Difference } from '../count-causes.ts';
import type { ParityKind } from '../parity-kinds.ts';
import type { ParityServer } from '../parity-target.ts';
import type { RecordedSequence } from '../recorded-sequences.ts';
import { playSequence } from './play-sequence.ts';
import type { SequenceRead, SequenceWrite } from './sequence.ts';

/**
 * A difference in one response of a sequence. The cause names the verb instead of the kind, because most differences
 * concern all kinds.
 */
export type SequenceDifference = Pick<Difference, 'cause' | 'answer' | 'ours'> & {
  readonly kind: string;
  readonly seed: number;
  readonly request: SequenceWrite | SequenceRead;
};

/** Plays recorded sequences on a server, and returns the responses that differ. */
export async function compareSequences(
  recorded: readonly RecordedSequence[],
  { server, kinds }: { readonly server: ParityServer; readonly kinds: readonly ParityKind[] },
): Promise<readonly SequenceDifference[]> {
  const byId = new Map(kinds.map((kind) => [kind.id, kind]));
  const found: SequenceDifference[] = [];
  for (const { sequence, answers } of recorded) {
    const kind = byId.get(sequence.kind);
    if (!kind) continue;
    const ours = await playSequence(sequence, { server, kind });
    const requests = [...sequence.writes, ...sequence.reads];
    for (const [index, answer] of answers.entries()) {
      const [own, request] = [ours[index], requests[index]];
      const cause = own && causeOf(answer, own);
      if (!own || !request || cause === undefined) continue;
      const { kind: id, seed } = sequence;
      found.push({ kind: id, seed, request, answer, ours: own, cause: `${request.verb}: ${cause}` });
    }
  }
  return found;
}
