// The program for @kubernetes/client-node in bench/runtime.mjs: an informer that counts events. The library has no
// controller.
const importing = performance.now();
const { CustomObjectsApi, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
const importMs = performance.now() - importing;
const { nowMs, say, serve, settle, Tally } = await import('../../runtime/protocol.mjs');

const [server, objects] = [process.argv[2], Number(process.argv[3])];
const config = new KubeConfig();
config.loadFromClusterAndUser({ name: 'bench', server, skipTLSVerify: true }, { name: 'bench' });
const api = config.makeApiClient(CustomObjectsApi);
const list = () => api.listClusterCustomObject({ group: 'example.com', version: 'v1', plural: 'things' });
const informer = makeInformer(config, '/apis/example.com/v1/things', list);
const tally = new Tally();
for (const event of ['add', 'update', 'delete']) informer.on(event, () => tally.count());

serve({
  async sync() {
    const startMs = nowMs();
    const all = tally.reach(objects);
    await informer.start();
    const { endMs, blockMs } = await all;
    return { ms: endMs - startMs, blockMs };
  },
  settle,
  count: (events) => {
    say({ at: 'armed' });
    return tally.reach(events);
  },
});
say({ at: 'idle', importMs });
