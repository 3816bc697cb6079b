import type { Stored } from '@kubewright/apimachinery';
import type { Ingress } from '@kubewright/apimachinery/networking/v1';

/** The Secret that contains the certificate of a host. */
export interface TlsHost {
  /** In lower case; a leading `*.` matches exactly one label. @defaultValue every host */
  readonly host: string | undefined;
  readonly namespace: string;
  readonly secretName: string;
  /** Creation time and name of the Ingress. Among equal hosts, the entry of the oldest Ingress wins. */
  readonly age: string;
}

/** Returns the hosts of an Ingress that are served over TLS. An entry without hosts covers the hosts of all rules. */
export function tlsOf({ metadata, spec = {} }: Stored<Ingress>): readonly TlsHost[] {
  const { namespace, name, creationTimestamp } = metadata;
  const age = `${creationTimestamp} ${namespace}/${name}`;
  const ofRules = (spec.rules ?? []).map(({ host }) => host);
  return (spec.tls ?? []).flatMap(({ hosts = [], secretName = '' }) => {
    const covered = hosts.length > 0 ? hosts : ofRules.length > 0 ? ofRules : [undefined];
    return covered.map((host) => ({ host: host?.toLowerCase(), namespace, secretName, age }));
  });
}

/** The hosts of all Ingresses that are served over TLS. */
export class TlsTable {
  readonly #byIngress = new Map<string, readonly TlsHost[]>();
  /** Entries by host; the empty host matches every host. */
  readonly #byHost = new Map<string, readonly TlsHost[]>();

  /** Replaces the hosts of an Ingress. */
  set(ingress: string, hosts: readonly TlsHost[]): void {
    for (const old of this.#byIngress.get(ingress) ?? []) {
      const others = (this.#byHost.get(old.host ?? '') ?? []).filter((one) => one !== old);
      if (others.length > 0) this.#byHost.set(old.host ?? '', others);
      else this.#byHost.delete(old.host ?? '');
    }
    if (hosts.length > 0) this.#byIngress.set(ingress, hosts);
    else this.#byIngress.delete(ingress);
    for (const host of hosts) {
      const all = [...(this.#byHost.get(host.host ?? '') ?? []), host];
      this.#byHost.set(
        host.host ?? '',
        all.sort((a, b) => (a.age < b.age ? -1 : 1)),
      );
    }
  }

  /** Returns the most specific entry for the name that a client sends. */
  find(serverName: string): TlsHost | undefined {
    const name = serverName.toLowerCase();
    for (const key of [name, name.replace(/^[^.]+/, '*'), '']) {
      const [first] = this.#byHost.get(key) ?? [];
      if (first) return first;
    }
    return undefined;
  }
}
