import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../controller/definition/controller-definition.ts';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { LeaseKind } from '../leader-election/lease.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { RecordingLogger } from '../testdata/recording-logger.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

const group = { group: 'example.com', version: 'v1' } as const;
const Site = defineKind<{ readonly text: string }>({ ...group, kind: 'Site' });
const Optional = defineKind<{ readonly text: string }>({ ...group, kind: 'Optional', plural: 'optionals' });

describe('a manager with kinds that are not installed', () => {
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

  type Extra = Pick<ControllerOptions<KubernetesObject>, 'owns' | 'caches'>;

  function setUp(
    options: Partial<ManagerOptions> & { readonly kind?: Kind<KubernetesObject>; readonly needs?: Extra },
  ) {
    const { kind = Site, needs = {}, ...rest } = options;
    const server = new FakeApiServer([Site, Optional, LeaseKind], { clock });
    server.missing.add('optionals');
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    const log = new RecordingLogger();
    const runs = { plain: 0, waiting: 0 };
    const plain = controller({
      for: Site,
      name: 'plain',
      async reconcile() {
        runs.plain++;
      },
    });
    const waiting = controller({
      for: kind,
      name: 'waiting',
      ...needs,
      async reconcile() {
        runs.waiting++;
      },
    });
    const common = { client: server.client, clock, log, handleSignals: false, watchdog: false };
    manager = new Manager({ ...common, controllers: [plain, waiting], ...rest });
    manager.run().catch(() => {});
    return { server, log, runs, manager };
  }

  it.each<[string, Parameters<typeof setUp>[0]]>([
    ['reconciles it', { kind: Optional }],
    ['owns it', { needs: { owns: [Optional] } }],
    ['reads it', { needs: { caches: [Optional] } }],
    ['reconciles it on the leader', { kind: Optional, leaderElection: { id: 'lock', namespace: 'default' } }],
  ])('runs the other controllers, and the one that %s once its kind is installed', async (_, options) => {
    const { server, log, runs, manager } = setUp(options);
    const passing = async (condition: () => boolean): Promise<void> =>
      eventually(() => {
        void clock.advance(100);
        return condition();
      });
    await passing(() => runs.plain > 0);
    await manager.started();
    expect(runs.waiting).toBe(0);
    const [seen] = log.lines.filter(({ fields }) => fields?.['event'] === 'controller.waiting');
    expect(seen).toMatchObject({ level: 'warn', fields: { controller: 'waiting', kinds: ['Optional'] } });
    server.missing.delete('optionals');
    server.put(Optional, { metadata: { name: 'o' }, spec: { text: 'x' } });
    await passing(() => runs.waiting > 0);
  });
});
