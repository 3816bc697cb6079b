import { isNotFound } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure, json } from '../testdata/fake-api-server.ts';
import { NoStatusSubresourceError } from './no-status-subresource-error.ts';

const Site = defineKind<{ readonly title: string }, { readonly ready: boolean }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager[Symbol.asyncDispose]();
});

/**
 * Returns the error thrown when setting a status on a server without the subresource; `gone` removes the object too.
 */
async function thrown(gone: boolean): Promise<unknown> {
  const server = new FakeApiServer([Site]);
  server.put(Site, { metadata: { name: 'hi' }, spec: { title: 'x' } });
  server.interrupt = ({ url, verb }) => {
    const notFound = failure(404, 'NotFound', 'sites.example.com "hi" not found');
    if (url.pathname.endsWith('/status')) return json(404, notFound.status);
    return gone && verb === 'GET' && url.pathname.endsWith('/hi') ? json(404, notFound.status) : undefined;
  };
  let seen: unknown;
  const sites = controller({
    for: Site,
    fenced: false,
    async reconcile(_site, ctx) {
      await ctx.setStatus({ ready: true }).catch((error: unknown) => {
        seen = error;
      });
    },
  });
  const manager = new Manager({
    client: server.client,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    controllers: [sites],
  });
  managers.push(manager);
  manager.run().catch(() => {});
  await eventually(() => seen !== undefined);
  return seen;
}

describe('NoStatusSubresourceError', () => {
  it('is thrown if the status is not found but the object exists', async () => {
    const error = await thrown(false);
    expect(error).toBeInstanceOf(NoStatusSubresourceError);
    expect(String(error)).toMatch(/Site hi .*add `subresources: \{ status: \{\} \}` to version v1 in its Custom/);
    expect(isNotFound((error as Error).cause)).toBe(true);
  });

  it('is not thrown for an object that was deleted', async () => {
    expect(isNotFound(await thrown(true))).toBe(true);
  });
});
