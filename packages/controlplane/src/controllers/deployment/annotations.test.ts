import { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { describe, expect, it } from 'vitest';
import { byRevision, maxRevision, newReplicaSetAnnotations, revisionOf } from './annotations.ts';

const revisionKey = 'deployment.kubernetes.io/revision';
const historyKey = 'deployment.kubernetes.io/revision-history';
const deployment = Deployment({ metadata: { name: 'd' } });
const set = (revision: string): ReplicaSet =>
  ReplicaSet({
    metadata: { name: `d-${revision}`, annotations: { [revisionKey]: revision } },
  });

describe('revisions of replica sets', () => {
  it('are compared exactly above 2^53', () => {
    const sets = [set('3546343826724305832'), set('3546343826724305833'), set('7')];
    expect(maxRevision(sets)).toBe(3546343826724305833n);
    expect([...sets].sort(byRevision).map(({ metadata }) => metadata.name)).toEqual([
      'd-7',
      'd-3546343826724305832',
      'd-3546343826724305833',
    ]);
    const annotations = newReplicaSetAnnotations(
      deployment,
      { [revisionKey]: '3546343826724305832' },
      maxRevision(sets) + 1n,
    );
    expect(annotations).toEqual({ [revisionKey]: '3546343826724305834', [historyKey]: '3546343826724305832' });
  });

  it.each(['x', '1.5', '9223372036854775808', '99999999999999999999999999999999999', ''])(
    'count as 0 if they are not 64-bit integers: %j',
    (text) => expect(revisionOf(set(text))).toBe(0n),
  );

  it('are not written over an annotation that is not a revision', () => {
    expect(newReplicaSetAnnotations(deployment, { [revisionKey]: 'x' }, 5n)).toEqual({ [revisionKey]: 'x' });
  });

  it('have at most 2000 characters of history, even if the existing history is very long', () => {
    const present = { [revisionKey]: '1', [historyKey]: ','.repeat(250_000) };
    const started = performance.now();
    const history = newReplicaSetAnnotations(deployment, present, 2n)[historyKey] ?? '';
    expect(history).toBe(`${','.repeat(1_999)}1`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
