import { describe, expect, it } from 'vitest';
import { drillResult } from './drill-result.ts';

describe('drillResult', () => {
  const finishedAt = '2026-01-01T00:00:00Z';
  const failed = (message: string) => ({
    backup: '',
    finishedAt,
    succeeded: false,
    message: `the drill ended without a result: ${message}`,
  });

  it('returns the result that the container wrote', () => {
    const result = { backup: 'a', finishedAt: '2026-01-01T00:01:00.000Z', succeeded: true, durationSeconds: 3 };
    expect(drillResult({ message: JSON.stringify(result), finishedAt })).toEqual(result);
  });

  it.each([
    ['the end of its log', { message: 'Error: DRILL is not set\n' }, 'Error: DRILL is not set'],
    ['JSON that is not a drill result', { message: '{"level":"error"}' }, '{"level":"error"}'],
    ['no message, and its Job failed', { failure: 'DeadlineExceeded' }, 'DeadlineExceeded'],
    ['no message, and its Job did not fail', {}, 'the pod was lost'],
  ])('fails if the container left %s', (_, ended, message) => {
    expect(drillResult({ ...ended, finishedAt })).toEqual(failed(message));
  });
});
