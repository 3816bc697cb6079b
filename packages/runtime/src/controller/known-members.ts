/** What a reconcile's result may ask for. */
const ofResult = ['requeueAfterMs', 'requeue', 'priority'];
/** What a desired state may say beside that. */
const ofState = [...ofResult, 'children', 'status', 'conditions'];

/** How far apart two names may be, at most, for one to be taken for the other. */
const mostEdits = 3;

/**
 * Refuses members that nothing here knows: a run that was asked for under another name would never come.
 *
 * @param what - whose result it is, such as `the reconcile of site`.
 * @throws TypeError
 */
export function knownMembers<R>(result: R, what: string, level: 'state' | 'result'): R {
  if (typeof result !== 'object' || result === null) return result;
  const known = level === 'state' ? ofState : ofResult;
  for (const member of Object.keys(result)) if (!known.includes(member)) throw unknownMember(member, what, known);
  return result;
}

function unknownMember(member: string, what: string, known: readonly string[]): TypeError {
  const near = nearest(member, known);
  const rest = near === undefined ? `it may have ${known.join(', ')}` : `did you mean "${near}"?`;
  const unit = near === 'requeueAfterMs' ? ' It is in milliseconds.' : '';
  return new TypeError(`${what} returned something with a member "${member}" that is not known; ${rest}${unit}`);
}

function nearest(member: string, known: readonly string[]): string | undefined {
  const lower = member.toLowerCase();
  const apart = known.map((name) => ({ name, edits: editsBetween(lower, name.toLowerCase()) }));
  const [best] = apart.sort((a, b) => a.edits - b.edits);
  return best && best.edits <= mostEdits ? best.name : undefined;
}

/** Letters to put in, take out or change to make one text the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
