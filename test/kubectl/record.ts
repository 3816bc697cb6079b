import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { Manager, silentLogger } from '@kubewright/runtime';
import { parse } from 'yaml';
import { changesSomething, matrix } from './matrix.ts';
import { normalizeOutcome } from './normalize.ts';
import { playKubelet } from './play-kubelet.ts';
import { nodeObject, playNodes } from './play-node.ts';
import type { RecordedStep, Recording } from './recording.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import { runKubectl } from './run-kubectl.ts';
import { Settling } from './settle.ts';

/** Runs the matrix against the control plane of a kubeconfig with simulated nodes, and records kubectl's output and requests. */
export async function record(kubeconfig: string, folder: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'kubewright-kubectl-'));
  const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const server = config.clusters[0]?.cluster.server ?? '';
  const token = config.users[0]?.user.token ?? '';
  const client = clientFromConfig(await loadClientConfig({ kubeconfig }), { userAgent: 'played-node' });
  const kubelet = await playKubelet({ tls: selfSigned(home), findPod: (key) => client.resource(Pod).get(key) });
  const nodes = ['node-1', 'node-2'].map((name) => ({ name, kubeletPort: kubelet.port }));
  for (const node of nodes) {
    const object = nodeObject(node);
    await client.resource(Node).create(object);
    await client.resource(Node).status.patch({ name: node.name }, { type: 'merge', body: { status: object.status } });
  }
  const player = new Manager({ controllers: playNodes(nodes), client, log: silentLogger, handleSignals: false });
  const playing = player.run();
  await player.started();
  const proxy = await startRecordingProxy({ server, token, home });
  const proxied = join(home, 'kubeconfig');
  writeFileSync(proxied, plainKubeconfig(`http://${proxy.address}`));
  await waitForStart(client);
  try {
    const steps: RecordedStep[] = [];
    const settling = new Settling(client, pause);
    const places = { server: proxy.address, home };
    for (const step of matrix) {
      const outcome = normalizeOutcome(await runKubectl(step, { kubeconfig: proxied, home, folder }), step, places);
      const moving = changesSomething(step) ? await settling.rest() : [];
      const exchanges = proxy.take();
      steps.push({ command: step.command, ...outcome, exchanges });
      process.stdout.write(`${outcome.exitCode} ${exchanges.length} ${step.command}
${moving
  .map(
    (each) => `   moves: ${each}
`,
  )
  .join('')}`);
    }
    const { gitVersion } = await client.discovery.serverVersion();
    const recording: Recording = {
      header: 'KUBECONFIG=<the real control plane, with controllers and scheduler> node test/kubectl/record.mjs',
      kubectl: 'v1.32',
      server: gitVersion,
      steps,
    };
    writeFileSync(join(folder, 'recorded.json'), print(recording));
  } finally {
    proxy.close();
    kubelet.close();
    await player[Symbol.asyncDispose]();
    await playing;
    rmSync(home, { recursive: true });
  }
}

/** Prints one exchange per line, to keep the file short and the diff of a new recording readable. */
function print({ steps, ...head }: Recording): string {
  const printed = steps.map(({ exchanges, ...step }) => {
    const lines = exchanges.map((each) => `   ${JSON.stringify(each)}`);
    return `  ${JSON.stringify(step).slice(0, -1)},"exchanges":[\n${lines.join(',\n')}\n  ]}`;
  });
  return `${JSON.stringify(head, null, 1).slice(0, -2)},\n "steps": [\n${printed.join(',\n')}\n]}\n`;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly user: { readonly token?: string } }[];
}

/** Waits until nodes are schedulable and the default service account exists. */
async function waitForStart(client: ReturnType<typeof clientFromConfig>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await client.resource(Node).list();
    const tainted = items.some(({ spec }) => (spec?.taints?.length ?? 0) > 0);
    if (items.length === 2 && !tainted) return;
    await pause(100);
  }
  throw new Error('the nodes did not become ready');
}

function plainKubeconfig(server: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "${server}"}}]
users: [{name: u, user: {token: recorded}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
}

function selfSigned(home: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(home, 'kubelet.key'), join(home, 'kubelet.crt')];
  const subject = ['-subj', '/CN=kubelet', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl could not make the played kubelet's certificate: ${stderr}`);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
