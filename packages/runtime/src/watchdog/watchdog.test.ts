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
    hold(400);
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'the event loop was held',
      controller: 'sites',
      key: 'default/a',
    });
  });

  it('names the one that is over when it could be told', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, tellAtOnce: false });
    const short = watchdog.activity.mark('sites', 'default/short');
    const held = watchdog.activity.mark('sites', 'default/held');
    hold(400);
    held.ended();
    short.resumed();
    short.ended();
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ controller: 'sites', key: 'default/held' });
  });

  it('names the only one that is left, after the others have ended', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, tellAtOnce: false });
    watchdog.activity.mark('sites', 'default/waits');
    watchdog.activity.mark('sites', 'default/short').ended();
    hold(400);
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ controller: 'sites', key: 'default/waits' });
  });
});

function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
