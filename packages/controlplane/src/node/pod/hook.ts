import { sleep } from '@kubewright/apimachinery';
import type { Container, LifecycleHandler } from '@kubewright/apimachinery/core/v1';
import type { RunningContainer } from '../driver.ts';
import type { ProbeTarget } from '../probes/probe-runner.ts';
import type { PodHost } from './pod-host.ts';

/** Runs a postStart or preStop hook. @throws Error if it fails or `signal` is aborted. */
export async function runHook(
  hook: LifecycleHandler,
  context: {
    readonly host: PodHost;
    readonly target: Omit<ProbeTarget, 'kind'>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { host, target, signal } = context;
  if (hook.sleep) {
    await sleep(host.clock, { ms: hook.sleep.seconds * 1000, signal });
    return;
  }
  if (hook.exec) {
    await runCommand(hook.exec.command ?? [], { container: target.container, running: target.running, signal });
    return;
  }
  const action = hook.httpGet ? { httpGet: hook.httpGet } : hook.tcpSocket ? { tcpSocket: hook.tcpSocket } : undefined;
  if (!action) return;
  const result = await host.probes.run({ ...action, timeoutSeconds: 30 }, { ...target, kind: 'liveness' });
  signal.throwIfAborted();
  if (!result.ok) throw new Error(result.output);
}

async function runCommand(
  command: readonly string[],
  context: { readonly container: Container; readonly running: RunningContainer; readonly signal: AbortSignal },
): Promise<void> {
  let output = '';
  const take = (chunk: Uint8Array): void => {
    if (output.length < 4_096) output += Buffer.from(chunk).toString('utf8');
  };
  const { running, signal } = context;
  const session = await running.exec({ command, stdin: undefined, stdout: take, stderr: take, signal });
  const { exitCode } = await session.exited;
  if (exitCode !== 0) {
    throw new Error(`command '${command.join(' ')}' exited with ${exitCode}: ${JSON.stringify(output)}`);
  }
}
