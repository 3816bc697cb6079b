import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { isForbidden, isNotFound } from '@kubewright/apimachinery';
import { Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const key = { namespace: 'default', name: 'p' };
type Connector = NonNullable<NonNullable<Parameters<typeof EmbeddedCluster.start>[0]>['connector']>;

/** A node that runs commands as functions. */
const connector: Connector = {
  logs: async () =>
    (async function* () {
      yield Buffer.from('a line\n');
    })(),
  async exec(_pod, { command: [program = '', ...args], stdin, stdout, stderr, sizes, signal }) {
    switch (program) {
      case 'echo':
        stdout(Buffer.from(args.join(' ')));
        stderr(Buffer.from('noted'));
        return { exitCode: 0 };
      case 'cat':
        for await (const chunk of stdin ?? []) stdout(chunk);
        return { exitCode: 0 };
      case 'cut':
        stdout(Buffer.from('é').subarray(0, 1));
        return { exitCode: 0 };
      case 'pour':
        for (poured = 0; poured < pouredBytes; poured += 65_536) await stdout(Buffer.alloc(65_536));
        return { exitCode: 3 };
      case 'exit':
        return { exitCode: Number(args[0]) };
      case 'size':
        for await (const { columns, rows } of sizes ?? []) {
          stdout(Buffer.from(`${columns}x${rows}`));
          break;
        }
        return { exitCode: 0 };
      case 'sleep':
        stdout(Buffer.from('begun'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended.push(program);
        return { exitCode: 1 };
      default:
        throw new Error(`no program ${program}`);
    }
  },
  async attach(_pod, { container, stdout }) {
    stdout(Buffer.from(`attached to ${container}`));
  },
  async portForward(_pod, { port, input, output }) {
    if (port === 1) throw new Error('connection refused');
    for await (const chunk of input) {
      if (port === 80) {
        await output(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'));
        return;
      }
      await output(chunk);
    }
  },
};
const ended: string[] = [];
/** Number of the last pod to evict. */
let evicted = 0;
const pouredBytes = 64 << 20;
/** Number of bytes that the last `pour` command has written. */
let poured = 0;

let cluster: EmbeddedCluster;
let overHttps: KubernetesClient;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ connector });
  overHttps = clientFromConfig(await loadClientConfig({ kubeconfig: cluster.kubeconfig }));
  const client = cluster.client();
  await client.resource(ServiceAccount).create(ServiceAccount({ metadata: { name: 'own', namespace: 'default' } }));
  for (const name of ['p', 'guarded', 'free']) {
    await client.resource(Pod).create(
      Pod({
        metadata: { name, namespace: 'default', labels: { app: name } },
        spec: { serviceAccountName: 'own', nodeName: 'elsewhere', containers: [{ name: 'c', image: 'i' }] },
      }),
    );
  }
});
afterAll(async () => {
  await overHttps?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe.each([
  ['in process', () => cluster.client()],
  ['over HTTPS', () => overHttps],
])('pods of a client %s', (_, client) => {
  it('return the output and the exit code of a command', async () => {
    const command = await client().pods.exec(key, { command: ['echo', 'a', 'b&c'] });
    expect(await command.text()).toEqual({ exitCode: 0, stdout: 'a b&c', stderr: 'noted' });
    const failed = await client().pods.exec(key, { command: ['exit', '7'] });
    expect(await failed.exit()).toBe(7);
  });

  it('mark a character that the command did not finish', async () => {
    const command = await client().pods.exec(key, { command: ['cut'] });
    expect(await command.text()).toEqual({ exitCode: 0, stdout: '\ufffd', stderr: '' });
  });

  it('leave the output of a command to its reader when the exit code is awaited, too', async () => {
    const command = await client().pods.exec(key, { command: ['echo', 'kept'] });
    const [code, { stdout }] = await Promise.all([command.exit(), command.text()]);
    expect([code, stdout]).toEqual([0, 'kept']);
    const late = await client().pods.exec(key, { command: ['echo', 'lost'] });
    await late.exit();
    await expect(late.text()).rejects.toThrow('exit() has discarded the output of the command');
  });

  it('send all of a large input', async () => {
    const text = 'x'.repeat(5_000_000);
    const command = await client().pods.exec(key, { command: ['cat'], stdin: text, stderr: false });
    let size = 0;
    for await (const { stream, bytes } of command) {
      expect(stream).toBe('stdout');
      size += bytes.byteLength;
    }
    expect(size).toBe(text.length);
    expect(await command.exit()).toBe(0);
  });

  it('slow a command down to the speed of its reader', async () => {
    const command = await client().pods.exec(key, { command: ['pour'] });
    const output = command[Symbol.asyncIterator]();
    let read = 0;
    const first = await output.next();
    if (!first.done) read += first.value.bytes.byteLength;
    // Wait until all buffers on the way are full.
    const seen: number[] = [];
    await expect.poll(() => seen.push(poured) > 4 && seen.at(-4) === poured, { timeout: 30_000 }).toBe(true);
    expect(poured).toBeLessThan(pouredBytes / 2);
    for (let next = await output.next(); !next.done; next = await output.next()) read += next.value.bytes.byteLength;
    expect(read).toBe(pouredBytes);
    expect(await command.exit()).toBe(3);
  });

  it('stream input and output at the same time', async () => {
    let next: (text: string | undefined) => void = () => {};
    async function* words(): AsyncGenerator<string> {
      for (let word: string | undefined = 'one'; word !== undefined; ) {
        yield word;
        word = await new Promise<string | undefined>((resolve) => {
          next = resolve;
        });
      }
    }
    await using command = await client().pods.exec(key, { command: ['cat'], stdin: words() });
    const output = command[Symbol.asyncIterator]();
    const read = async () => {
      const next = await output.next();
      return next.done ? undefined : Buffer.from(next.value.bytes).toString();
    };
    expect(await read()).toBe('one');
    next('two');
    expect(await read()).toBe('two');
    next(undefined);
    expect((await output.next()).done).toBe(true);
  });

  it('do not wait for input after the command has ended', async () => {
    const stdin = (async function* () {
      await new Promise(() => {});
      yield '';
    })();
    const command = await client().pods.exec(key, { command: ['exit', '0'], stdin });
    expect(await command.exit()).toBe(0);
  });

  it('report the size of the terminal', async () => {
    const sizes = (async function* () {
      yield { columns: 120, rows: 40 };
    })();
    const command = await client().pods.exec(key, { command: ['size'], tty: true, sizes });
    expect((await command.text()).stdout).toBe('120x40');
  });

  it('reject a command that cannot start, and a pod that does not exist', async () => {
    const command = await client().pods.exec(key, { command: ['nonsense'] });
    await expect(command.exit()).rejects.toThrow('no program nonsense');
    await expect(client().pods.exec({ ...key, name: 'none' }, { command: ['echo'] })).rejects.toSatisfy(isNotFound);
    const nobody = client().with({ impersonate: { user: 'nobody' } });
    await expect(nobody.pods.exec(key, { command: ['echo'] })).rejects.toSatisfy(isForbidden);
    await expect(client().pods.exec(key, { command: [] })).rejects.toThrow('the command is empty');
    const dry = client().with({ dryRun: true });
    await expect(dry.pods.exec(key, { command: ['echo'] })).rejects.toThrow('dry-run');
  });

  it('end a command with their signal, and with its disposal', async () => {
    ended.length = 0;
    const stop = new AbortController();
    const command = await client().pods.exec(key, { command: ['sleep'], signal: stop.signal });
    const output = command[Symbol.asyncIterator]();
    await output.next();
    const rest = output.next();
    stop.abort(new Error('enough'));
    await expect(rest).rejects.toThrow('enough');
    await expect(command.exit()).rejects.toThrow('enough');
    await expect.poll(() => ended).toEqual(['sleep']);
    const other = await client().pods.exec(key, { command: ['sleep'] });
    await other[Symbol.asyncDispose]();
    await expect(other.exit()).rejects.toThrow('closed');
    await expect.poll(() => ended).toEqual(['sleep', 'sleep']);
  });

  it('attach to a container and read its log', async () => {
    expect((await (await client().pods.attach(key)).text()).stdout).toBe('attached to c');
    const { body } = await client().pods.logs(key);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    expect(text).toBe('a line\n');
  });

  it('connect to a port', async () => {
    const echo = await client().pods.connect(key, { port: 7 });
    echo.write('ping');
    const [first] = await once(echo, 'data');
    expect(String(first)).toBe('ping');
    echo.destroy();
    const closed = await client().pods.connect(key, { port: 1 });
    await expect(closed.toArray()).rejects.toThrow('connection refused');
  });

  it('forward a port on this machine', async () => {
    const errors: unknown[] = [];
    await using forward = await client().pods.portForward(key, { port: 80, onError: (error) => errors.push(error) });
    const body = await new Promise<string>((resolve, reject) => {
      const sent = request({ port: forward.localPort, host: '127.0.0.1', agent: false }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      });
      sent.on('error', reject).end();
    });
    expect(body).toBe('hello');
    expect(errors).toEqual([]);
  });

  it('forward each connection to the pod that is chosen for it', async () => {
    const errors: unknown[] = [];
    const chosen = [{ ...key, port: 7 }, undefined, { ...key, name: 'free', port: 7 }];
    const choose = async () => {
      const next = chosen.shift();
      if (next === undefined) throw new Error('no pod is ready');
      return next;
    };
    await using forward = await client().pods.portForward(choose, { onError: (error) => errors.push(error) });
    const echo = async (): Promise<string> => {
      const socket = connect({ port: forward.localPort, host: '127.0.0.1' });
      socket.on('error', () => undefined).write('hello');
      const answer = await new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(String(data))).once('close', () => resolve('closed'));
      });
      socket.destroy();
      return answer;
    };
    expect([await echo(), await echo(), await echo()]).toEqual(['hello', 'closed', 'hello']);
    expect(errors).toEqual([expect.objectContaining({ message: 'no pod is ready' })]);
  });

  it('evict a pod only if its disruption budget allows it', async () => {
    const budgets = cluster.client().resource(PodDisruptionBudget);
    const metadata = { name: 'guard', namespace: 'default' };
    const selector = { matchLabels: { app: 'guarded' } };
    await budgets.apply({ metadata, spec: { minAvailable: 1, selector } }, { fieldManager: 'test' });
    const running = { type: 'merge', body: { status: { phase: 'Running' } } } as const;
    await cluster
      .client()
      .resource(Pod)
      .status.patch({ ...key, name: 'guarded' }, running);
    await budgets.waitFor(metadata, ({ status }) => status?.observedGeneration === 1 && status.expectedPods === 1);
    expect(await client().pods.evict({ ...key, name: 'guarded' })).toEqual({
      evicted: false,
      message: 'The disruption budget guard needs 1 healthy pods and has 0 currently',
      retryAfterMs: 5_000,
    });
    expect(await client().pods.evict({ ...key, name: 'free' }, { dryRun: true })).toEqual({ evicted: true });
    const preconditions = { uid: 'another' };
    await expect(client().pods.evict({ ...key, name: 'free' }, { preconditions })).rejects.toThrow();
    await expect(client().pods.evict({ ...key, name: 'none' })).rejects.toSatisfy(isNotFound);
  });

  it('evict an unready pod as its budget says, and tell its controller why', async () => {
    const [pods, budgets] = [cluster.client().resource(Pod), cluster.client().resource(PodDisruptionBudget)];
    const name = `unready-${++evicted}`;
    const [metadata, labels] = [{ name, namespace: 'default' }, { app: name }];
    await pods.create(
      Pod({
        metadata: { ...metadata, labels },
        spec: { serviceAccountName: 'own', nodeName: 'elsewhere', containers: [{ name: 'c', image: 'i' }] },
      }),
    );
    await pods.status.patch(metadata, { type: 'merge', body: { status: { phase: 'Running' } } });
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    await budgets.apply({ metadata, spec }, { fieldManager: 'test' });
    await budgets.waitFor(metadata, ({ status }) => status?.observedGeneration === 1 && status.expectedPods === 1);
    expect(await client().pods.evict(metadata)).toMatchObject({ evicted: false });
    const always = { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' as const };
    await budgets.apply({ metadata, spec: always }, { fieldManager: 'test' });
    expect(await client().pods.evict(metadata)).toEqual({ evicted: true });
    const { metadata: deleted, status } = await pods.get(metadata);
    expect(deleted.deletionTimestamp).toBeDefined();
    expect(status?.conditions).toMatchObject([
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    ]);
  });

  it.each([
    [
      'another name',
      { metadata: { name: 'another' } },
      { code: 400, message: 'name in URL does not match name in Eviction object' },
    ],
    ['no name', {}, { code: 400, message: 'name in URL does not match name in Eviction object' }],
    [
      'another UID',
      { metadata: { name: 'free' }, deleteOptions: { preconditions: { uid: 'x' } } },
      {
        code: 409,
        details: { name: 'free', kind: 'Pod' },
        message: expect.stringMatching(
          /^Operation cannot be fulfilled on Pod "free": the UID in the precondition \(x\) does not match the UID in record \(.*\)\. The object might have been deleted and then recreated$/,
        ),
      },
    ],
    [
      'an option for broken objects',
      { metadata: { name: 'free' }, deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
      {
        code: 422,
        message:
          'Eviction.policy "free" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
      },
    ],
  ])('reject an eviction with %s', async (_, body, status) => {
    const eviction = client().resource(Pod).subresource('eviction');
    const create = eviction.create({ ...key, name: 'free' }, { apiVersion: 'policy/v1', kind: 'Eviction', ...body });
    await expect(create).rejects.toMatchObject({ status });
    const pod = await cluster
      .client()
      .resource(Pod)
      .get({ ...key, name: 'free' });
    expect(pod.metadata.deletionTimestamp).toBeUndefined();
  });

  it('keep a pod and its budget if only the delete options ask for a dry run', async () => {
    const eviction = client().resource(Pod).subresource('eviction');
    const deleteOptions = { dryRun: ['All'] };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'free' }, deleteOptions };
    expect(await eviction.create({ ...key, name: 'free' }, body)).toMatchObject({ status: 'Success' });
    const pod = await cluster
      .client()
      .resource(Pod)
      .get({ ...key, name: 'free' });
    expect([pod.metadata.deletionTimestamp, pod.status?.conditions]).toEqual([undefined, undefined]);
  });
});
