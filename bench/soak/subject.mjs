// The operator of soak.mjs: a cache, and a controller that reads each changed object. Handles commands from the parent process.
import { HttpTransport, KubernetesClient } from '@kubewright/client';
import { controller, defineKind, Manager, silentLogger } from '@kubewright/runtime';
import { Digest } from './digest.mjs';

const server = process.argv[2];
const Thing = defineKind({ group: 'example.com', version: 'v1', kind: 'Thing' });
let [events, reconciles, containers] = [0, 0, 0];

const things = controller({
  for: Thing,
  predicates: [() => ++events > 0],
  maxConcurrentReconciles: 4,
  async reconcile(thing) {
    containers += thing.spec.containers.length;
    reconciles++;
  },
});
const manager = new Manager({
  client: new KubernetesClient({ transport: new HttpTransport({ server }) }),
  controllers: [things],
  handleSignals: false,
  log: silentLogger,
  watchdog: false,
});

const commands = {
  async start() {
    void manager.run();
    await manager.started();
    return {};
  },
  memory() {
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    return { resident: rss, heap: heapUsed, heapTotal, external, arrayBuffers, events, reconciles };
  },
  digest() {
    const digest = new Digest();
    for (const { name, resourceVersion } of manager.cache.lister(Thing).views()) digest.add(name, resourceVersion);
    return { digest: digest.text, reconciles, containers };
  },
  async collect() {
    for (let i = 0; i < 5; i++) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return commands.memory();
  },
};
process.on('message', async (command) => process.send(await commands[command]()));
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit(1));
