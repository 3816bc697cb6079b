import type { Service } from '@kubewright/apimachinery/core/v1';
import type { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { type Answer, type DnsRecord, type Question, recordTypes, responseCodes } from './dns-message.ts';

/** TTL of records, in seconds, as in CoreDNS. */
const ttlSeconds = 5;

/** A service with its ready endpoints. */
interface Entry {
  readonly service: Service;
  readonly endpoints: readonly ZoneEndpoint[];
}

interface ZoneEndpoint {
  readonly address: string;
  /** The endpoint's host name, or else its address with dashes. */
  readonly label: string;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
}

/**
 * The names of a cluster's services and pods. Mirrors the specification of Kubernetes DNS 1.1.0 and CoreDNS's
 * `kubernetes` plugin: `A`, `SRV`, `PTR` and `CNAME` records of services, of the endpoints of headless services, and of
 * pods by their address.
 */
export class ServiceZone {
  readonly domain: string;
  readonly #services = new Map<string, Entry>();
  /** Number of services by namespace. */
  readonly #namespaces = new Map<string, number>();
  /** Names by address, then by service. */
  readonly #reverse = new Map<string, Map<string, string>>();

  constructor(domain: string) {
    this.domain = domain;
  }

  /** Replaces the records of a service; removes them if `parts` is undefined. */
  set(
    key: { readonly namespace: string; readonly name: string },
    parts: { readonly service: Service; readonly slices: readonly EndpointSlice[] } | undefined,
  ): void {
    const id = `${key.namespace}/${key.name}`;
    this.#forget(id);
    if (!parts) return;
    const { service, slices } = parts;
    const entry = { service, endpoints: readyEndpoints(slices) };
    this.#services.set(id, entry);
    this.#namespaces.set(key.namespace, (this.#namespaces.get(key.namespace) ?? 0) + 1);
    const name = this.#nameOf(key);
    const { clusterIP } = service.spec ?? {};
    if (clusterIP && clusterIP !== 'None') this.#reverseOf(clusterIP).set(id, name);
    else for (const { address, label } of entry.endpoints) this.#reverseOf(address).set(id, `${label}.${name}`);
  }

  /** Returns the answer to a question; `undefined` if the name is not in this zone. */
  answer({ name, type }: Question): Answer | undefined {
    const address = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(name);
    if (address) return this.#answerReverse(name, address.slice(1, 5).reverse().join('.'));
    if (name !== this.domain && !name.endsWith(`.${this.domain}`)) return undefined;
    const labels = name
      .slice(0, -this.domain.length - 1)
      .split('.')
      .filter((label) => label !== '');
    const records = this.#records(name, labels);
    if (!records) return { code: responseCodes.nameError, answers: [], authorities: [this.#authority()] };
    const answers = records.filter(
      (record) => record.type === 'CNAME' || type === recordTypes.ANY || recordTypes[record.type] === type,
    );
    return {
      code: responseCodes.noError,
      answers,
      ...(answers.length === 0 && { authorities: [this.#authority()] }),
      additional: answers.flatMap((record) => (record.type === 'SRV' ? this.#addressesOf(record.target) : [])),
    };
  }

  /** Returns all records of a name; `undefined` if it does not exist. */
  #records(name: string, labels: readonly string[]): readonly DnsRecord[] | undefined {
    const common = { name, ttlSeconds };
    if (labels.length === 0) return [this.#authority()];
    if (labels.length === 1 && labels[0] === 'dns-version') return [{ ...common, type: 'TXT', text: '1.1.0' }];
    const [kind, namespace, ...rest] = [...labels].reverse();
    if (kind === 'pod' && rest.length === 1) return podRecords(common, rest[0] ?? '');
    if (kind !== 'svc') return undefined;
    // Parent names of services exist but have no records.
    if (namespace === undefined) return [];
    if (rest.length === 0) return this.#hasNamespace(namespace) ? [] : undefined;
    const [service = '', ...below] = rest;
    const entry = this.#services.get(`${namespace}/${service}`);
    if (!entry) return undefined;
    const found = this.#ofService(common, {
      entry,
      below: below.reverse(),
      serviceName: this.#nameOf({ namespace, name: service }),
    });
    return found && found.length > 0 ? found : undefined;
  }

  #ofService(
    common: Pick<DnsRecord, 'name' | 'ttlSeconds'>,
    parts: { readonly entry: Entry; readonly below: readonly string[]; readonly serviceName: string },
  ): readonly DnsRecord[] | undefined {
    const { entry, below, serviceName } = parts;
    const { type, externalName = '', clusterIP, ports = [] } = entry.service.spec ?? {};
    if (type === 'ExternalName')
      return below.length === 0 ? [{ ...common, type: 'CNAME', target: externalName }] : undefined;
    const isHeadless = clusterIP === 'None';
    const [first, second] = below;
    if (first === undefined) {
      const addresses = isHeadless ? entry.endpoints.map(({ address }) => address) : [clusterIP ?? ''];
      return unique(addresses).map((address) => ({ ...common, type: 'A', address }));
    }
    if (below.length === 1) {
      const matching = entry.endpoints.filter(({ label }) => label === first);
      return unique(matching.map(({ address }) => address)).map((address) => ({ ...common, type: 'A', address }));
    }
    if (below.length !== 2) return undefined;
    const matches = (one: { readonly name?: string; readonly protocol?: string }): boolean =>
      (first === `_${one.name ?? ''}` || first === '*') && second === `_${(one.protocol ?? 'TCP').toLowerCase()}`;
    const targets = isHeadless
      ? entry.endpoints.flatMap(({ label, ports: own }) =>
          own.filter(matches).map(({ port }) => ({ port, target: `${label}.${serviceName}` })),
        )
      : ports.filter(matches).map(({ port }) => ({ port, target: serviceName }));
    const weight = Math.max(Math.floor(100 / Math.max(targets.length, 1)), 1);
    return targets.map((target) => ({ ...common, type: 'SRV', weight, ...target }));
  }

  #answerReverse(name: string, address: string): Answer | undefined {
    const targets = [...(this.#reverse.get(address)?.values() ?? [])];
    if (targets.length === 0) return undefined;
    const answers = targets.map((target): DnsRecord => ({ name, ttlSeconds, type: 'PTR', target }));
    return { code: responseCodes.noError, answers };
  }

  #addressesOf(name: string): readonly DnsRecord[] {
    return this.answer({ name, type: recordTypes.A })?.answers ?? [];
  }

  #hasNamespace(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  #authority(): DnsRecord {
    const { domain } = this;
    return {
      name: domain,
      ttlSeconds,
      type: 'SOA',
      server: `ns.dns.${domain}`,
      mailbox: `hostmaster.${domain}`,
      serial: 1,
    };
  }

  #nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
    return `${name}.${namespace}.svc.${this.domain}`;
  }

  #reverseOf(address: string): Map<string, string> {
    const names = this.#reverse.get(address) ?? new Map<string, string>();
    this.#reverse.set(address, names);
    return names;
  }

  #forget(id: string): void {
    const entry = this.#services.get(id);
    if (!entry) return;
    this.#services.delete(id);
    const [namespace = ''] = id.split('/');
    const others = (this.#namespaces.get(namespace) ?? 1) - 1;
    if (others > 0) this.#namespaces.set(namespace, others);
    else this.#namespaces.delete(namespace);
    const { clusterIP = '' } = entry.service.spec ?? {};
    for (const address of [clusterIP, ...entry.endpoints.map((endpoint) => endpoint.address)]) {
      const names = this.#reverse.get(address);
      names?.delete(id);
      if (names?.size === 0) this.#reverse.delete(address);
    }
  }
}

function podRecords(common: Pick<DnsRecord, 'name' | 'ttlSeconds'>, label: string): readonly DnsRecord[] | undefined {
  const address = label.replaceAll('-', '.');
  return /^(\d{1,3}\.){3}\d{1,3}$/.test(address) ? [{ ...common, type: 'A', address }] : undefined;
}

function readyEndpoints(slices: readonly EndpointSlice[]): readonly ZoneEndpoint[] {
  return slices.flatMap(({ addressType, endpoints, ports }) =>
    (addressType === 'IPv4' ? (endpoints ?? []) : [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses, hostname }) =>
        addresses.map((address) => ({
          address,
          label: hostname ?? address.replaceAll('.', '-'),
          ports: (ports ?? []).map(({ name = '', protocol = 'TCP', port = 0 }) => ({ name, protocol, port })),
        })),
      ),
  );
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
