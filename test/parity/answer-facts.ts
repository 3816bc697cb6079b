import type { JsonObject } from './parity-kinds.ts';

/** An answer as received. */
export interface RawAnswer {
  readonly status: number;
  readonly warning?: string | undefined;
  readonly text: string;
}

/**
 * The parts of a response on which two servers can agree. Omits UIDs, times, versions, addresses, and the order of Go's
 * maps.
 */
export interface AnswerFacts {
  readonly status: number;
  readonly warnings?: readonly string[];
  /** The object of a successful request. */
  readonly object?: JsonObject | undefined;
  /** The Status of a failed request. */
  readonly failure?: Failure;
}

/** The facts of a Status object. Causes are sorted. The message is omitted if it only lists the causes. */
export interface Failure {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: JsonObject;
  /** `field|reason|message` */
  readonly causes?: readonly string[];
}

/** Extracts the facts of a response. `today` is the server's date, such as `2026-01-31`. */
export function factsOf({ status, warning, text }: RawAnswer, today: string): AnswerFacts {
  const body = normalized(parsed(text), '', new RegExp(`${today}T[0-9:.]+Z`, 'g'));
  // Only our server warns about fields that it does not implement.
  const warnings = [...(warning ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one as string);
  const kept = warnings.filter((one) => !one.startsWith('kubewright:'));
  const said = kept.length > 0 ? { warnings: kept } : {};
  if (status < 300) return { status, ...said, object: body as JsonObject };
  return { status, ...said, failure: failureOf(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.trim() };
  }
}

function failureOf(body: unknown): Failure {
  const { reason, message, details: all } = body as StatusBody;
  const { causes: listed, ...details } = all ?? {};
  const causes = [
    ...new Set((listed ?? []).map((one) => `${one.field ?? ''}|${one.reason ?? ''}|${one.message ?? ''}`)),
  ].sort();
  return {
    ...(reason && { reason }),
    ...(message !== undefined && causes.length < 2 && { message: withSortedErrors(message) }),
    ...(Object.keys(details).length > 0 && { details }),
    ...(causes.length > 1 && { causes }),
  };
}

/** Sorts the errors about an applied configuration, which upstream finds in the order of Go's maps. */
function withSortedErrors(message: string): string {
  const [head, ...errors] = message.split('\n  ');
  return head?.endsWith(': errors:') ? [head, ...errors.sort()].join('\n  ') : message;
}

interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: JsonObject & {
    readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
  };
}

/** Replaces the random suffix of the volume that every pod gets. Its name is also part of field paths. */
function withoutSuffix(text: string): string {
  return text.replace(/kube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-SUFFIX');
}

function normalized(value: unknown, key: string, now: RegExp): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalized(item, key, now));
    return key === 'managedFields' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [withoutSuffix(name), normalized(item, name, now)]),
    );
  }
  if (typeof value === 'number')
    return /^(nodePort|healthCheckNodePort)$/.test(key) && value >= 30_000 ? 'PORT' : value;
  if (typeof value !== 'string') return value;
  if (key === 'resourceVersion' && /^\d+$/.test(value)) return 'VERSION';
  // In a dry run, upstream takes addresses from a range that it chooses at random: the default, or the suite's ServiceCIDR.
  if (/^clusterIPs?$/.test(key) && /^10\.200\.0\.\d+$/.test(value)) return 'CLUSTER-IP';
  return (
    withoutSuffix(value)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      // The response to a rejected patch contains the whole object, whose resourceVersion differs.
      .replace(/^( "" is invalid: )?(patch: )?Invalid value: "\{.*\}": /s, '$1$2Invalid value: OBJECT: ')
      // Messages about forbidden changes contain values or differences in Go syntax, which prints Kubernetes' internal
      // structures.
      .replace(/Invalid value: \{.*\}: field is immutable/s, 'Invalid value: OBJECT: field is immutable')
      .replace(/(Forbidden: (?:spec is immutable|spec\.persistentvolumesource|pod updates)[^\n]*)\n.*$/s, '$1')
      .replace(now, 'NOW')
      .replace(/(The range of valid IPs is )[\d./]+/, '$1RANGE')
      .replace(/\b10\.96\.\d+\.\d+\b/g, 'CLUSTER-IP')
  );
}
