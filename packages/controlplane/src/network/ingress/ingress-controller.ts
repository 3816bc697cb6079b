import type { Random, Stored } from '@kubewright/apimachinery';
import { Secret, Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { Ingress, IngressClass } from '@kubewright/apimachinery/networking/v1';
import {
  type Cache,
  type ControllerDefinition,
  enqueueForObject,
  type ReconcileResult,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import { byService } from '../endpoint-slice-index.ts';
import { endpointsOf, type ServiceEndpoint, usableEndpoints } from '../service-endpoints.ts';
import type { SocketAddress } from '../sockets.ts';
import { type TlsSecretOf, tlsContextOf } from './ingress-certificates.ts';
import { type IngressTable, type IngressTarget, rulesOf } from './ingress-rules.ts';
import { type TlsTable, tlsOf } from './ingress-tls.ts';
import { ingressController } from './install-ingress.ts';

/** Returns the endpoints of a service that accept new connections. */
export type EndpointsOf = (target: IngressTarget) => readonly ServiceEndpoint[];

/** The objects that the proxy reads when requests arrive. */
export interface IngressSources {
  readonly endpoints: EndpointsOf;
  readonly secret: TlsSecretOf;
}

/** Result of listening for requests to Ingresses. */
export interface ServedIngresses {
  /** Addresses at which Ingresses are served, HTTP first. */
  readonly addresses: readonly SocketAddress[];
  /** Messages about ports that are not available. */
  readonly notes: readonly string[];
  /** False if HTTP or HTTPS is not served and listening must be retried. */
  readonly isComplete: boolean;
}

/** Interval between attempts to listen, in milliseconds. */
const retryMs = 5_000;

/** Options for {@link ingressDefinition}. */
export interface IngressOptions {
  /** Receives the rules. */
  readonly table: IngressTable;
  /** Receives the hosts that are served over TLS. */
  readonly tls: TlsTable;
  readonly random: Random;
  /** Starts listening for HTTP, and for HTTPS if `tls` is set. Does nothing if already listening. */
  readonly listen: (sources: IngressSources, options: { readonly tls: boolean }) => Promise<ServedIngresses>;
}

const annotation = 'kubernetes.io/ingress.class';
/** Request that represents all Ingresses. */
const all = { name: '*' };

/**
 * Keeps the rules of an Ingress proxy up to date with the Ingresses of its classes, and writes the proxy's address to
 * their status.
 */
export function ingressDefinition({ table, tls, random, listen }: IngressOptions): ControllerDefinition {
  const serve = async (
    ingress: Stored<Ingress> | undefined,
    { key, ctx }: { readonly key: string; readonly ctx: RequestContext },
  ): Promise<ReconcileResult | undefined> => {
    const isServed =
      ingress !== undefined && ingress.metadata.deletionTimestamp === undefined && isOurs(ctx.cache, ingress);
    const hosts = isServed ? tlsOf(ingress) : [];
    table.set(key, isServed ? rulesOf(ingress) : []);
    tls.set(key, hosts);
    if (!isServed) return undefined;
    const secret: TlsSecretOf = (id) => ctx.cache.lister(Secret).get(id);
    warn(ctx, { ingress, secret });
    const endpoints: EndpointsOf = (target) => rotated(endpointsIn(ctx.cache, target), random);
    const { addresses, notes, isComplete } = await listen({ endpoints, secret }, { tls: hosts.length > 0 });
    for (const note of notes) record(ctx, ingress, { reason: 'ListenFailed', note });
    if (addresses.length > 0) await publish(ctx, { ingress, addresses });
    return isComplete ? undefined : { requeueAfterMs: retryMs };
  };
  return requestController({
    name: 'ingress-controller',
    for: Ingress,
    watches: [
      watch(Ingress, enqueueForObject()),
      watch<IngressClass>(IngressClass, (_, context) => context.enqueue(all)),
      // The proxy reads these objects when requests arrive, so no reconcile is needed.
      watch<Service>(Service, () => undefined),
      watch<Secret>(Secret, () => undefined, { fieldSelector: 'type=kubernetes.io/tls' }),
      watch<EndpointSlice>(EndpointSlice, () => undefined, { indexes: { service: byService } }),
    ],
    reconcile: async ({ namespace = '', name }, ctx) => {
      const ingresses = ctx.cache.lister(Ingress);
      if (name !== all.name) return serve(ingresses.get({ namespace, name }), { key: `${namespace}/${name}`, ctx });
      let result: ReconcileResult | undefined;
      for (const ingress of ingresses.list()) {
        result =
          (await serve(ingress, { key: `${ingress.metadata.namespace}/${ingress.metadata.name}`, ctx })) ?? result;
      }
      return result;
    },
  });
}

function isOurs(cache: Cache, { metadata, spec }: Ingress): boolean {
  const name = spec?.ingressClassName ?? metadata.annotations?.[annotation];
  return name !== undefined && cache.lister(IngressClass).get({ name })?.spec?.controller === ingressController;
}

function endpointsIn(cache: Cache, { namespace, service: name, port }: IngressTarget): readonly ServiceEndpoint[] {
  const service = cache.lister(Service).get({ namespace, name });
  const found = service?.spec?.ports?.find((one) => (port.name ? one.name === port.name : one.port === port.number));
  if (!found) return [];
  const slices = cache.lister(EndpointSlice).list({ index: { name: 'service', value: `${namespace}/${name}` } });
  return usableEndpoints(endpointsOf(found, slices));
}

/** Rotates items by a random number. */
function rotated<T>(items: readonly T[], random: Random): readonly T[] {
  const start = Math.floor(random.next() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Records events about backends that the proxy ignores, and about certificates that it cannot use. */
function warn(
  ctx: RequestContext,
  { ingress, secret }: { readonly ingress: Stored<Ingress>; readonly secret: TlsSecretOf },
): void {
  const { tls = [], rules = [], defaultBackend } = ingress.spec ?? {};
  const { namespace } = ingress.metadata;
  const backends = [defaultBackend, ...rules.flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend))];
  if (backends.some((backend) => backend?.resource)) {
    record(ctx, ingress, { reason: 'Unsupported', note: 'backends other than services are not supported' });
  }
  for (const { secretName: name = '' } of tls) {
    const found = secret({ namespace, name });
    if (found && tlsContextOf(found)) continue;
    const why = found ? 'has no valid tls.crt and tls.key' : 'does not exist, or is not of type kubernetes.io/tls';
    const note = `secret "${name}" ${why}; the hosts of this TLS entry are served with a self-signed certificate`;
    record(ctx, ingress, { reason: 'InvalidCertificate', note });
  }
}

function record(
  { events }: RequestContext,
  regarding: Stored<Ingress>,
  { reason, note }: { readonly reason: string; readonly note: string },
): void {
  events.record({ type: 'Warning', reason, action: 'Serve', note, regarding, series: note });
}

async function publish(
  ctx: RequestContext,
  { ingress, addresses }: { readonly ingress: Stored<Ingress>; readonly addresses: readonly SocketAddress[] },
): Promise<void> {
  const ports = addresses.map(({ port }) => ({ port, protocol: 'TCP' }));
  const now = [{ ip: addresses[0]?.host ?? '', ports }];
  if (sameJson(ingress.status?.loadBalancer?.ingress, now)) return;
  const { namespace, name, uid } = ingress.metadata;
  const status = { loadBalancer: { ingress: now } };
  const body = { metadata: { uid }, status };
  await ctx.client.resource(Ingress).status.patch({ namespace, name }, { type: 'merge', body }, { signal: ctx.signal });
}
