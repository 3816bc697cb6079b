import { ControllerRevision } from '@kubewright/apimachinery/apps/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { byRevision, nextRevision } from './template-revision.ts';

const revisionOf = (revision: number | bigint) =>
  stored(ControllerRevision({ metadata: { name: `r-${revision}` }, revision: revision as number }));

describe('template revisions', () => {
  it('are numbered exactly beyond 2^53', () => {
    expect(nextRevision(undefined)).toBe(1);
    expect(nextRevision(revisionOf(7))).toBe(8);
    expect(nextRevision(revisionOf(2 ** 53 - 1))).toBe(2n ** 53n);
    expect(nextRevision(revisionOf(3546343826724305833n))).toBe(3546343826724305834n);
  });

  it('are ordered by number beyond 2^53', () => {
    const revisions = [3546343826724305834n, 2, 3546343826724305833n, 10].map(revisionOf);
    expect(revisions.sort(byRevision).map(({ revision }) => revision)).toEqual([
      2,
      10,
      3546343826724305833n,
      3546343826724305834n,
    ]);
  });
});
