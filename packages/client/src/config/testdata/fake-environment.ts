import { VirtualClock } from '@kubewright/apimachinery';
import type { ConfigEnvironment, SpawnRequest, SpawnResult } from '../config-environment.ts';

/** Creates an environment from literal values, for tests. */
export interface FakeEnvironment extends ConfigEnvironment {
  readonly clock: VirtualClock;
  readonly files: Map<string, string>;
  readonly reads: string[];
}

export function fakeEnvironment(
  options: {
    readonly env?: Record<string, string>;
    readonly files?: Record<string, string>;
    readonly interactive?: boolean;
    readonly run?: (request: SpawnRequest) => Promise<SpawnResult>;
  } = {},
): FakeEnvironment {
  const files = new Map(Object.entries(options.files ?? {}));
  const reads: string[] = [];
  return {
    env: options.env ?? {},
    homeDirectory: '/home/jane',
    platform: 'linux',
    isInteractive: options.interactive ?? false,
    clock: new VirtualClock(),
    files,
    reads,
    spawner: { run: options.run ?? (() => Promise.reject(Object.assign(new Error('no such program'), { code: 'ENOENT' }))) },
    readFile: async (path) => {
      reads.push(path);
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
      return text;
    },
  };
}

/** Returns a kubeconfig with one context; `user` and `cluster` are YAML flow objects. */
export function kubeconfig(parts: { readonly name?: string; readonly cluster?: string; readonly user?: string; readonly namespace?: string }): string {
  const name = parts.name ?? 'dev';
  return `apiVersion: v1
kind: Config
current-context: ${name}
contexts:
- name: ${name}
  context: { cluster: ${name}, user: ${name}${parts.namespace ? `, namespace: ${parts.namespace}` : ''} }
clusters:
- name: ${name}
  cluster: ${parts.cluster ?? `{ server: "https://${name}.test:6443" }`}
users:
- name: ${name}
  user: ${parts.user ?? '{ token: abc }'}
`;
}
