import { describe, expect, it } from 'vitest';
import { compareVersions } from './version-priority.ts';

describe('compareVersions', () => {
  it('sorts stable before beta before alpha, newer before older, others last', () => {
    const sorted = ['foo1', 'v1alpha1', 'v11alpha2', 'v2', 'v10', 'v1beta1', 'bar', 'v3beta1', 'v12alpha1', 'v1'].sort(
      compareVersions,
    );
    expect(sorted).toEqual([
      'v10',
      'v2',
      'v1',
      'v3beta1',
      'v1beta1',
      'v12alpha1',
      'v11alpha2',
      'v1alpha1',
      'bar',
      'foo1',
    ]);
  });
});
