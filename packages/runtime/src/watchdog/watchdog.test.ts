import { systemClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { jsonLogger } from '../log/json-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { Watchdog } from './watchdog.ts';

describe('Watchdog', () => {
  it('names the reconcile that held the event loop', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, tellAtOnce: false });
    watchdog.activity.mark('sites', 'default/a').resumed();
    const until = performance.now() + 400;
    while (performance.now() < until);
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'the event loop was held',
      controller: 'sites',
      key: 'default/a',
    });
  });
});
