import { describe, expect, it } from 'vitest';
import { jsonLogger } from './json-logger.ts';
import { OnceLogger } from './once-logger.ts';

describe('OnceLogger', () => {
  it('logs a failure once until it recovers, and a different failure immediately', () => {
    const lines: string[] = [];
    const log = jsonLogger({
      level: 'debug',
      destination: { write: (line) => void lines.push(JSON.parse(line).level) },
    });
    const trouble = new OnceLogger();
    const fail = (text: string): void => trouble.failed(log, 'cannot renew', { error: new Error(text) });
    fail('refused');
    fail('refused');
    fail('forbidden');
    trouble.succeeded();
    fail('forbidden');
    expect(lines).toEqual(['error', 'debug', 'error', 'error']);
  });
});
