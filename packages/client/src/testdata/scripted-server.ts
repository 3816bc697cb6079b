import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { VirtualClock, seededRandom } from '@kubewright/apimachinery';
import { KubernetesClient, type KubernetesClientOptions } from '../client.ts';
import { type InProcessRequest, type InProcessResponse, InProcessTransport } from '../transport/in-process-transport.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const ConfigMapKind: Kind<ConfigMap> = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Answer = (request: SeenRequest, raw: InProcessRequest<undefined>) => InProcessResponse | Promise<InProcessResponse>;

/** Creates a client whose server is a function, on a virtual clock; records the requests. */
export function scripted(
  answer: Answer,
  options: Partial<KubernetesClientOptions> = {},
): { readonly client: KubernetesClient; readonly seen: SeenRequest[]; readonly clock: VirtualClock } {
  const seen: SeenRequest[] = [];
  const clock = new VirtualClock();
  const transport = new InProcessTransport<undefined>({
    connection: undefined,
    handle: async (raw) => {
      const body = raw.body instanceof Uint8Array ? JSON.parse(Buffer.from(raw.body).toString()) : undefined;
      const request = { method: raw.method, path: raw.path, headers: raw.headers, body };
      seen.push(request);
      return answer(request, raw);
    },
  });
  const client = new KubernetesClient({ transport, clock, random: seededRandom(1), ...options });
  return { client, seen, clock };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): InProcessResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(JSON.stringify(value)) };
}

export function failure(code: number, reason: string, more: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `it is ${reason}`, reason, code, ...more };
}

export const configMap = (name: string, more: object = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...more },
});
