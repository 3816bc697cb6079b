import { isNotFound, type ObjectKey } from '@kubewright/apimachinery';
import { Service, type ServicePort } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { clientFromConfig, loadClientConfig, type PortForward } from '@kubewright/client';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { readyPods } from './ready-pods.ts';
import { type ClusterName, StateFolder } from './state-folder.ts';
import { stopped } from './up.ts';

/** Flags of `cluster expose`. */
export interface ExposeOptions extends ClusterName {
  /** @defaultValue `default` */
  readonly namespace?: string | undefined;
  /** Port on this machine. @defaultValue a free port */
  readonly port?: number | undefined;
  /** Number or name of the Service's port. @defaultValue its only TCP port */
  readonly servicePort?: string | undefined;
}

/**
 * Forwards a port on this machine until the user stops the command. Each connection goes to a random ready pod, so
 * forwarding survives pod restarts.
 *
 * @throws CliError KW7201 if no cluster runs in this folder
 * @throws CliError KW7206 if the Service or its port does not exist, or the port on this machine is in use
 */
export async function expose(
  { environment, reporter }: Context,
  { service: name, namespace = 'default', ...options }: ExposeOptions & { readonly service: string },
): Promise<void> {
  const { kubeconfig } = new StateFolder(environment.cwd, options.name).requireRunning();
  const { clock, random, signal } = environment;
  await using client = clientFromConfig(await loadClientConfig({ kubeconfig }), { clock });
  const key = { namespace, name };
  const service = await client
    .resource(Service)
    .get(key, { signal })
    .catch((error: unknown) => {
      throw isNotFound(error)
        ? notExposed(key, {
            why: 'the Service does not exist',
            remedy: `list Services: kubectl get services -n ${namespace}`,
          })
        : error;
    });
  const servicePort = portOf(service, options.servicePort);
  const choosePod = async (signal: AbortSignal): Promise<ObjectKey & { readonly port: number }> => {
    const labelSelector = `kubernetes.io/service-name=${name}`;
    const slices = await client.resource(EndpointSlice).list({ namespace, labelSelector, signal });
    const pods = readyPods(servicePort, slices.items);
    const pod = pods[Math.floor(random.next() * pods.length)];
    if (pod === undefined) throw new Error(`Service ${namespace}/${name} has no ready pods`);
    return pod;
  };
  const onError = (error: unknown): void => {
    reporter.step('connection failed', error instanceof Error ? error.message : String(error), 'bad');
  };
  await using forward: PortForward = await client.pods
    .portForward(choosePod, { localPort: options.port ?? 0, signal, onError })
    .catch((error: unknown) => {
      throw isPortInUse(error)
        ? notExposed(key, {
            why: `port ${options.port} of this machine is in use`,
            remedy: 'pass another port, or omit --port to use a free port',
          })
        : error;
    });
  const address = `127.0.0.1:${forward.localPort}`;
  reporter.step('exposed', `Service ${namespace}/${name}, port ${servicePort.port}, at ${address}`);
  reporter.text('\nPress Ctrl-C to stop.\n');
  await stopped(signal);
}

/** Returns the selected port, or the only TCP port. @throws CliError KW7206 */
function portOf({ metadata, spec = {} }: Service, wanted: string | undefined): ServicePort {
  const ports = (spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  const matching = ports.filter(({ port, name }) => wanted === undefined || String(port) === wanted || name === wanted);
  const [only, ...others] = matching;
  if (only !== undefined && others.length === 0) return only;
  const all = ports.map(({ port, name }) => (name === undefined ? `${port}` : `${port} (${name})`)).join(', ');
  if (all === '')
    throw notExposed(metadata, { why: 'the Service has no TCP port', remedy: 'expose a Service with a TCP port' });
  const why = only === undefined ? `the Service has no TCP port ${wanted}` : 'the Service has several TCP ports';
  throw notExposed(metadata, { why, remedy: `select a port with --service-port: ${all}` });
}

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function notExposed(
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
  reason: { readonly why: string; readonly remedy: string },
): CliError {
  return new CliError('KW7206', { what: `cannot expose Service ${namespace}/${name}`, ...reason });
}
