import { describe, expect, it } from 'vitest';
import { primary, stopped } from '../../plan/testdata/observed.ts';
import type { InstanceReport } from '../protocol.ts';
import { type AskedInstance, statusRoutes } from './status-routes.ts';

/** Requests a restart of an instance whose server takes forever; returns the response, and how many restarts began. */
async function restart({ report }: { readonly report?: InstanceReport | undefined }) {
  let restarts = 0;
  const instance: AskedInstance = {
    report: report as InstanceReport,
    restart: () => {
      restarts++;
      return new Promise(() => undefined);
    },
    follows: async () => false,
    startBackup: () => false,
    backup: () => undefined,
  };
  const route = statusRoutes(instance).find(({ path }) => path.test('/v1/restart'));
  const match = /.*/.exec('/v1/restart') as RegExpExecArray;
  return { response: await route?.handle({ match, query: new URLSearchParams() }), restarts };
}

describe('POST /v1/restart', () => {
  it('replies before the server has restarted', async () => {
    expect(await restart(primary('shop-1'))).toEqual({ response: { code: 202 }, restarts: 1 });
  });

  it('is refused if the server does not run', async () => {
    expect(await restart(stopped('shop-1'))).toEqual({ response: { code: 409 }, restarts: 0 });
  });
});
