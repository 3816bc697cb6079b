import { describe, expect, it } from 'vitest';
import { controller, requestController } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { controllerOverlaps } from './controller-overlaps.ts';
import { Manager } from './manager.ts';

const Site = defineKind<{ readonly a?: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
const SiteV2 = defineKind<{ readonly a?: string }>({ group: 'example.com', version: 'v2', kind: 'Site' });
const Page = defineKind<{ readonly a?: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });
const desired = () => ({});
const reconcile = async () => {};

describe('controllerOverlaps', () => {
  it('accepts two controllers of one kind that own children of the same kind', () => {
    const one = controller({ name: 'one', for: Site, owns: [Page], desired });
    const two = controller({ name: 'two', for: Site, owns: [Page], desired });
    expect(controllerOverlaps([one, two])).toEqual([]);
  });

  it('finds two controllers that share a field manager, even with different versions of the kind', () => {
    const one = controller({ name: 'one', for: Site, owns: [Page], desired });
    const two = controller({ name: 'two', for: SiteV2, owns: [Page], desired, fieldManager: 'one' });
    const other = controller({ name: 'pages', for: Page, reconcile, fieldManager: 'one' });
    const keys = requestController({ name: 'keys', for: Site, reconcile, fieldManager: 'one' });
    expect(controllerOverlaps([one, two, other, keys])).toEqual([
      {
        controllers: ['one', 'two'],
        kind: 'Site.example.com',
        advice: expect.stringContaining('both controllers use the field manager "one"'),
      },
    ]);
  });

  it('finds a finalizer shared by two controllers', () => {
    const finalizers = { 'example.com/x': reconcile };
    const one = controller({ name: 'one', for: Site, reconcile, finalizers });
    const two = controller({ name: 'two', for: Site, reconcile, finalizers });
    expect(controllerOverlaps([one, two])[0]?.advice).toContain('both controllers use the finalizer "example.com/x"');
  });

  it('finds overlaps that the manager logs once', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = jsonLogger({ destination: { write: (text) => void lines.push(JSON.parse(text)) } });
    const server = new FakeApiServer([Site]);
    const controllers = [
      controller({ name: 'one', for: Site, reconcile }),
      controller({ name: 'two', for: Site, reconcile, fieldManager: 'one' }),
    ];
    await using manager = new Manager({
      controllers,
      client: server.client,
      log,
      handleSignals: false,
      watchdog: false,
    });
    void manager.run();
    await manager.started();
    expect(lines.filter((line) => line['level'] === 'warn')).toEqual([
      expect.objectContaining({ event: 'controllers.conflict', controllers: ['one', 'two'] }),
    ]);
  });
});
