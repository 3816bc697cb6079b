import { describe, expect, it } from 'vitest';
import { isTemporaryNetworkError } from './temporary-network-error.ts';

describe('isTemporaryNetworkError', () => {
  it.each([
    ['ECONNRESET', true],
    ['EAI_AGAIN', true],
    ['ETIMEDOUT', true],
    ['ENOTFOUND', false],
    ['ECONNREFUSED', false],
    [undefined, false],
  ])('%s: %s', (code, expected) => {
    expect(isTemporaryNetworkError(Object.assign(new Error('failed'), { code }))).toBe(expected);
  });

  it('accepts anything that was thrown', () => {
    for (const thrown of [undefined, null, 'ECONNRESET', 1]) expect(isTemporaryNetworkError(thrown)).toBe(false);
  });
});
