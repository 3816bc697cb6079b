import type { Output } from '../program/cli-environment.ts';

/** The process in which an asset runs. */
export interface AssetProcess {
  /** Flags of the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Resolves when the process gets a signal to stop. */
  readonly stopped: Promise<void>;
}

const programs: Readonly<Record<string, () => Promise<(process: AssetProcess) => Promise<void>>>> = {
  etcd: async () => (await import('./etcd.ts')).runEtcd,
  'kube-apiserver': async () => (await import('./kube-apiserver.ts')).runKubeApiServer,
};

/** Runs a program of `kubewright cluster assets` in this process. Returns the exit code. */
export async function runAsset(name: string): Promise<number> {
  const { env, stdout, stderr, argv } = process;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => resolve());
  });
  try {
    const run = await programs[name]?.();
    await run?.({ args: argv.slice(4), env, stdout, stderr, stopped });
    return 0;
  } catch (error) {
    // Imported lazily, because loading it takes time.
    const [{ failureOf }, { Reporter }] = await Promise.all([
      import('../program/failure.ts'),
      import('../program/reporter.ts'),
    ]);
    const { message } = failureOf(error, { debug: Boolean(env['KUBEWRIGHT_DEBUG']), command: name });
    new Reporter({ stdout, stderr, json: false, colors: false }).failure(message);
    return 1;
  }
}
