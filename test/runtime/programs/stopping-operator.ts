// An operator that suspends itself (SIGSTOP) at one await of a write, and resumes on SIGCONT.
import { writeSync } from 'node:fs';
import { HttpTransport, KubernetesClient, loadClientConfig, type Transport } from '@kubewright/client';
import { jsonLogger, Manager } from '@kubewright/runtime';
import { noteController } from './note-controller.ts';

const [stage = '', namespace = '', guard = ''] = process.argv.slice(2);
const naive = guard === 'naive';
const config = await loadClientConfig();
const inner = new HttpTransport({ server: config.server, trust: config.trust, credentials: config.credentials });
let stopped = false;

function stopHere(at: string): void {
  if (at !== stage || stopped) return;
  stopped = true;
  // Writes synchronously: a stream could still hold the line when the process is suspended.
  writeSync(1, `stopped\n`);
  process.kill(process.pid, 'SIGSTOP');
}

/**
 * Offers to suspend at every await of a reconcile's write: before and after reading the primary, and before and after the
 * write itself.
 */
const transport: Transport = {
  async request(request) {
    const look = request.method === 'GET' && /\/notes\/[^/?]+$/.test(request.path);
    const write = request.method !== 'GET' && /\/(configmaps|notes)\//.test(request.path);
    if (look) stopHere('before the look');
    // Simulates a transport that waits for credentials or a connection.
    await Promise.resolve();
    if (write) stopHere(request.path.includes('/status') ? 'before the status' : 'before the write');
    const { gate, ...ungated } = request;
    const answer = inner.request(naive ? ungated : request);
    // The promise is awaited below. Until then, a rejection must not count as unhandled.
    answer.catch(() => {});
    if (write) {
      // The request is sent in this turn of the event loop, so a later suspension cannot stop it.
      await new Promise((resolve) => setImmediate(resolve));
      stopHere('after the write was sent');
    }
    const response = await answer;
    if (look) stopHere('after the look');
    if (write) stopHere('after the write was answered');
    return response;
  },
  [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
};

const client = new KubernetesClient({ transport, defaultNamespace: namespace });
const manager = new Manager({
  client,
  namespaces: [namespace],
  controllers: [noteController({ by: 'stopped', fenced: !naive })],
  leaderElection: { id: 'notes', namespace, leaseDurationSeconds: 3, renewDeadlineSeconds: 2, retryPeriodSeconds: 0.4 },
  log: jsonLogger({ destination: { write: (line) => void writeSync(1, line) } }),
  watchdog: false,
});
// Opens the connection for writes, because leases use a different one. The write can then be sent as soon as the
// process resumes.
await client.request({ path: '/version' });
await manager.run();
