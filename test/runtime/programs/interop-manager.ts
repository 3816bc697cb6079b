import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { controller, type Logger, Manager, type ManagerOptions } from '@kubewright/runtime';
import { NoteKind } from './note.ts';

/** Options for {@link interopManager}. */
export interface InteropOptions {
  /** The client to use. @defaultValue the manager creates one and exports its metrics */
  readonly client?: KubernetesClient;
  readonly namespace: string;
  readonly identity: string;
  readonly log: Logger;
  readonly onLeading: () => void;
  readonly options?: Partial<ManagerOptions>;
}

/** Returns an operator equivalent to `bench/peers/go/interop`, which uses controller-runtime. */
export function interopManager({ client, namespace, identity, log, onLeading, options }: InteropOptions): Manager {
  const notes = controller({
    for: NoteKind,
    owns: [ConfigMap],
    finalizers: { 'runtime.example.com/cleanup': async () => {} },
    async reconcile(note, ctx) {
      ctx.log.info('reconciling', { text: 'given' });
      const { name } = note.metadata;
      if (name === 'fails') throw new Error('failed on request');
      const data = { text: note.spec.text, by: 'operator' };
      await ctx.apply(ConfigMap({ metadata: { name }, data }) satisfies ConfigMap);
      await ctx.setStatus({ text: note.spec.text, by: 'operator' });
    },
  });
  const leading = {
    name: 'leading',
    run: (signal: AbortSignal) => {
      onLeading();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  return new Manager({
    ...(client && { client }),
    namespaces: [namespace],
    controllers: [notes],
    runnables: [leading],
    leaderElection: {
      id: 'notes',
      namespace,
      identity,
      leaseDurationSeconds: 4,
      renewDeadlineSeconds: 3,
      retryPeriodSeconds: 0.4,
    },
    metricsBindAddress: '127.0.0.1:0',
    log,
    watchdog: false,
    ...options,
  });
}
