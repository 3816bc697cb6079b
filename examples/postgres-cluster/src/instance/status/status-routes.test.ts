import { describe, expect, it } from 'vitest';
import { primary, stopped } from '../../plan/testdata/observed.ts';
import type { InstanceReport } from '../protocol.ts';
import { type ServedInstance, statusRoutes } from './status-routes.ts';

/** Sends a request to an instance, and returns its response. */
function send(instance: Partial<ServedInstance>, path: string, query = '') {
  const served: ServedInstance = {
    report: primary('shop-1').report as InstanceReport,
    restart: async () => false,
    follows: async () => false,
    startBackup: () => false,
    backup: () => undefined,
    metrics: async () => 'postgres_instance_up{} 1\n',
    ...instance,
  };
  const route = statusRoutes(served).find((each) => each.path.test(path));
  return route?.handle({ match: /.*/.exec(path) as RegExpExecArray, query: new URLSearchParams(query) });
}

/** Requests a restart that never ends, and returns the response and the number of restarts that began. */
async function restart({ report }: { readonly report?: InstanceReport | undefined }) {
  let restarts = 0;
  const begun = (): Promise<boolean> => {
    restarts++;
    return new Promise(() => undefined);
  };
  const response = await send({ report: report as InstanceReport, restart: begun }, '/v1/restart');
  return { response, restarts };
}

describe('POST /v1/restart', () => {
  it('replies before the server has restarted', async () => {
    expect(await restart(primary('shop-1'))).toEqual({ response: { code: 202 }, restarts: 1 });
  });

  it('is rejected if the server does not run', async () => {
    expect(await restart(stopped('shop-1'))).toEqual({ response: { code: 409 }, restarts: 0 });
  });
});

describe('GET /v1/primary', () => {
  const follows = async (): Promise<boolean> => true;

  it('promises a primary to follow it for the requested time', async () => {
    expect(await send({ follows }, '/v1/primary', 'name=shop-1&forMs=15000')).toEqual({ code: 204 });
  });

  it.each(['', '0', '-1', '1.5', 'Infinity', 'soon'])('rejects the time "%s"', async (forMs) => {
    expect(await send({ follows }, '/v1/primary', `name=shop-1&forMs=${forMs}`)).toMatchObject({ code: 400 });
  });
});

it('GET /metrics returns the text format of Prometheus', async () => {
  expect(await send({}, '/metrics')).toEqual({
    code: 200,
    text: { type: 'text/plain; version=0.0.4; charset=utf-8', content: 'postgres_instance_up{} 1\n' },
  });
});
