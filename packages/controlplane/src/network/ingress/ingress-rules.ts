import { posix } from 'node:path';
import type { Stored } from '@kubewright/apimachinery';
import type { Ingress, IngressBackend } from '@kubewright/apimachinery/networking/v1';

/** A service and one of its ports. */
export interface IngressTarget {
  readonly namespace: string;
  readonly service: string;
  readonly port: { readonly name?: string; readonly number?: number };
}

/** Sends requests for a host and a path to a service. */
export interface IngressRule {
  /** In lower case; a leading `*.` matches exactly one label. @defaultValue every host */
  readonly host: string | undefined;
  readonly path: string;
  readonly isExact: boolean;
  /** True for a default backend, which gets the requests that no other rule matches. */
  readonly isDefault: boolean;
  /** Creation time and name of the Ingress. Among equal rules, the rule of the oldest Ingress wins. */
  readonly age: string;
  readonly target: IngressTarget;
}

/** Returns the rules of an Ingress, except rules whose backend is not a service. */
export function rulesOf({ metadata, spec = {} }: Stored<Ingress>): readonly IngressRule[] {
  const { namespace, name, creationTimestamp } = metadata;
  const age = `${creationTimestamp} ${namespace}/${name}`;
  const rule = (
    backend: IngressBackend | undefined,
    parts: Omit<IngressRule, 'target' | 'age'>,
  ): readonly IngressRule[] => {
    const { service } = backend ?? {};
    return service ? [{ ...parts, age, target: { namespace, service: service.name, port: service.port ?? {} } }] : [];
  };
  const own = (spec.rules ?? []).flatMap(({ host, http }) =>
    (http?.paths ?? []).flatMap(({ path = '/', pathType, backend }) =>
      rule(backend, { host: host?.toLowerCase(), path, isExact: pathType === 'Exact', isDefault: false }),
    ),
  );
  return [...own, ...rule(spec.defaultBackend, { host: undefined, path: '/', isExact: false, isDefault: true })];
}

/**
 * The rules of all Ingresses. The rule for a request is the one with the most specific host, then the longest path, then an exact path, as
 * networking.k8s.io/v1 defines.
 */
export class IngressTable {
  readonly #byIngress = new Map<string, readonly IngressRule[]>();
  /** Rules by host; the empty host matches every host. */
  readonly #byHost = new Map<string, Set<IngressRule>>();

  /** Replaces the rules of an Ingress. */
  set(ingress: string, rules: readonly IngressRule[]): void {
    for (const rule of this.#byIngress.get(ingress) ?? []) {
      const sameHost = this.#byHost.get(rule.host ?? '');
      sameHost?.delete(rule);
      if (sameHost?.size === 0) this.#byHost.delete(rule.host ?? '');
    }
    if (rules.length > 0) this.#byIngress.set(ingress, rules);
    else this.#byIngress.delete(ingress);
    for (const rule of rules) {
      const sameHost = this.#byHost.get(rule.host ?? '') ?? new Set();
      this.#byHost.set(rule.host ?? '', sameHost.add(rule));
    }
  }

  /** Returns the rule for a request. @param request - `host`: the Host header; `url`: path and query. */
  find(request: { readonly host: string; readonly url: string }): IngressRule | undefined {
    const host = request.host.toLowerCase().replace(/:\d+$/, '');
    const path = posix.normalize(request.url.replace(/[?#].*$/, '') || '/');
    for (const key of [host, host.replace(/^[^.]+/, '*'), '']) {
      const matching = [...(this.#byHost.get(key) ?? [])].filter((rule) => isPath(rule, path));
      const [first] = matching.sort(compare);
      if (first) return first;
    }
    return undefined;
  }
}

function compare(a: IngressRule, b: IngressRule): number {
  return (
    Number(a.isDefault) - Number(b.isDefault) ||
    b.path.length - a.path.length ||
    Number(b.isExact) - Number(a.isExact) ||
    (a.age < b.age ? -1 : 1)
  );
}

/** True if a rule matches the requested path. A prefix matches whole elements of the path. */
function isPath({ path, isExact }: IngressRule, requested: string): boolean {
  if (isExact) return requested === path;
  const prefix = path.replace(/\/+$/, '');
  return requested === prefix || requested.startsWith(`${prefix}/`);
}
