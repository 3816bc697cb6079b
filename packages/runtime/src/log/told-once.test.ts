import { describe, expect, it } from 'vitest';
import { jsonLogger } from './json-logger.ts';
import { ToldOnce } from './told-once.ts';

describe('ToldOnce', () => {
  it('tells a trouble once until it is over, and another one at once', () => {
    const lines: string[] = [];
    const log = jsonLogger({
      level: 'debug',
      destination: { write: (line) => void lines.push(JSON.parse(line).level) },
    });
    const trouble = new ToldOnce();
    const fail = (text: string): void => trouble.failed(log, 'cannot renew', { error: new Error(text) });
    fail('refused');
    fail('refused');
    fail('forbidden');
    trouble.succeeded();
    fail('forbidden');
    expect(lines).toEqual(['error', 'debug', 'error', 'error']);
  });
});
