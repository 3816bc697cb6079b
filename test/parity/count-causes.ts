import { causeOf } from './compare-facts.ts';
import type { ParityKind } from './parity-kinds.ts';
import type { ParityTarget } from './parity-target.ts';
import type { RecordedAnswer } from './recorded-answers.ts';

/** A response of the real API server that differs from ours. */
export interface Difference extends RecordedAnswer {
  /** The resource, and the cause of the difference. */
  readonly cause: string;
  readonly ours: RecordedAnswer['answer'];
}

/** Sends the recorded requests to a server, and returns the responses that differ. */
export async function findDifferences(
  answers: readonly RecordedAnswer[],
  options: { readonly target: ParityTarget; readonly kinds: readonly ParityKind[] },
): Promise<readonly Difference[]> {
  const kinds = new Map(options.kinds.map((kind) => [kind.id, kind]));
  const found: Difference[] = [];
  for (const { request, answer } of answers) {
    const kind = kinds.get(request.kind);
    if (!kind) throw new Error(`the suite has no kind ${request.kind}: record the answers again`);
    const ours = await options.target.ask(request, kind);
    const cause = causeOf(answer, ours);
    if (cause !== undefined) found.push({ request, answer, ours, cause: `${kind.id}: ${cause}` });
  }
  return found;
}

/** Counts differences by cause, most frequent first. */
export function countCauses(found: readonly Pick<Difference, 'cause'>[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { cause } of found) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}
