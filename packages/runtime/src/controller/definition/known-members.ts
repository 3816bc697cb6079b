import { nearestName } from '@kubewright/apimachinery/internal';

/** Members of a reconcile result. */
const ofResult = ['requeueAfterMs', 'requeue', 'priority'];
/** Members of a desired state. */
const ofState = [...ofResult, 'children', 'status', 'conditions'];

/**
 * Rejects unknown members: a requeue requested under a misspelled name would never happen.
 *
 * @param what - the function that returned it, such as `the reconcile of site`.
 * @throws TypeError when a member is unknown.
 */
export function knownMembers<R>(result: R, what: string, level: 'state' | 'result'): R {
  if (typeof result !== 'object' || result === null) return result;
  const known = level === 'state' ? ofState : ofResult;
  for (const member of Object.keys(result)) if (!known.includes(member)) throw unknownMember(member, what, known);
  return result;
}

function unknownMember(member: string, what: string, known: readonly string[]): TypeError {
  const near = nearestName(member, known);
  const rest = near === undefined ? `it may have ${known.join(', ')}` : `did you mean "${near}"?`;
  const unit = near === 'requeueAfterMs' ? ' It is in milliseconds.' : '';
  return new TypeError(`${what} returned something with a member "${member}" that is not known; ${rest}${unit}`);
}
