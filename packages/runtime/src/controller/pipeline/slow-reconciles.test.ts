import { sleep, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { defineKind } from '../../kind/define-kind.ts';
import { Manager } from '../../manager/manager.ts';
import type { ReconcileContext } from '../../reconcile/reconcile.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer } from '../../testdata/fake-api-server.ts';
import { type RecordedLine, RecordingLogger } from '../../testdata/recording-logger.ts';
import { controller } from '../definition/define-controller.ts';

const Site = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });

describe('a slow reconcile', () => {
  const clock = new VirtualClock();
  let manager: Manager | undefined;
  afterEach(async () => {
    let isEnded = false;
    void manager?.[Symbol.asyncDispose]().then(() => {
      isEnded = true;
    });
    await eventually(() => {
      void clock.advance(100);
      return isEnded;
    });
  });

  /** Runs a reconcile for `seconds` and returns the log lines about its slowness. */
  async function linesOf(
    reconcile: (context: ReconcileContext<never>) => Promise<void>,
    options: { readonly seconds: number; readonly server?: FakeApiServer },
  ): Promise<readonly RecordedLine[]> {
    const { seconds, server = new FakeApiServer([Site], { clock }) } = options;
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    const log = new RecordingLogger();
    let isBegun = false;
    const sites = controller({
      for: Site,
      async reconcile(_, context) {
        isBegun = true;
        await reconcile(context as ReconcileContext<never>);
      },
    });
    const { client } = server;
    manager = new Manager({ controllers: [sites], client, clock, log, handleSignals: false, watchdog: false });
    manager.run().catch(() => {});
    await eventually(() => isBegun);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    await clock.advance(seconds * 1_000);
    return log.lines.filter(({ message }) => /still reconciling|slow reconcile/.test(message));
  }

  it('is reported after 10 s, then at growing intervals, and when it ends', async () => {
    const lines = await linesOf((context) => sleep(context.clock, { ms: 45_000 }), { seconds: 50 });
    expect(
      lines.map(({ level, message, fields }) => [level, message, fields['forSeconds'] ?? fields['tookSeconds']]),
    ).toEqual([
      ['warn', 'still reconciling', 10],
      ['warn', 'still reconciling', 20],
      ['warn', 'still reconciling', 40],
      ['info', 'slow reconcile finished', 45],
    ]);
    expect(lines[0]?.fields).toMatchObject({ Site: { name: 'a', namespace: 'default' } });
    expect(lines[0]?.fields['waitingFor']).toEqual(['no API call']);
  });

  it('is reported with the call it waits for', async () => {
    const server = new FakeApiServer([Site], { clock });
    server.interrupt = ({ method, url }) =>
      method === 'GET' && url.pathname.endsWith('/sites/slow') ? new Promise(() => {}) : undefined;
    const lines = await linesOf(
      async ({ client, signal }) => {
        await client.resource(Site).get({ namespace: 'default', name: 'slow' }, { signal });
      },
      { seconds: 11, server },
    );
    expect(lines.map(({ fields }) => fields['waitingFor'])).toEqual([['get Site default/slow']]);
  });

  it('is not reported when it ends in time', async () => {
    expect(await linesOf((context) => sleep(context.clock, { ms: 9_000 }), { seconds: 60 })).toEqual([]);
  });
});
