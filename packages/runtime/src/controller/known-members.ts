import { nearestName } from '@kubewright/apimachinery';

/** What a reconcile's result may ask for. */
const ofResult = ['requeueAfterMs', 'requeue', 'priority'];
/** What a desired state may say beside that. */
const ofState = [...ofResult, 'children', 'status', 'conditions'];

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
  const near = nearestName(member, known);
  const rest = near === undefined ? `it may have ${known.join(', ')}` : `did you mean "${near}"?`;
  const unit = near === 'requeueAfterMs' ? ' It is in milliseconds.' : '';
  return new TypeError(`${what} returned something with a member "${member}" that is not known; ${rest}${unit}`);
}
