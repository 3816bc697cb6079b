import { badRequest, type FieldError, invalid, invalidField, unsupportedField } from '@kubewright/apimachinery';
import { isTrue } from '../request-info/index.ts';
import { readInteger, validateDryRun } from './query-options.ts';

/** A client's options for a deletion (meta/v1 `DeleteOptions`). */
export interface DeleteOptions {
  /** A bigint if it exceeds 2^53. */
  readonly gracePeriodSeconds?: number | bigint | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Foreground' | 'Background' | undefined;
  readonly dryRun: boolean;
}

/**
 * Reads a deletion's options from the body, or from the query if there is no body.
 *
 * @throws StatusError 400 or 422
 */
export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const given = body === undefined ? fromQuery(query) : fromBody(body);
  const { propagationPolicy, orphanDependents, dryRun = [], gracePeriodSeconds } = given;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidField('propagationPolicy', propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagationPolicy)) {
    const supported = ['Foreground', 'Background', 'Orphan', 'nil'];
    errors.push(unsupportedField('propagationPolicy', propagationPolicy, supported));
  }
  errors.push(...validateDryRun(dryRun));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const { uid, resourceVersion } = given.preconditions ?? {};
  return {
    // Upstream turns a negative grace period into one second: delete immediately, but through the kubelet.
    gracePeriodSeconds: gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds,
    preconditions: given.preconditions && { uid, resourceVersion },
    orphanDependents,
    propagationPolicy: propagationPolicy as DeleteOptions['propagationPolicy'], // checked above
    dryRun: dryRun.length > 0,
  };
}

interface Given {
  readonly gracePeriodSeconds?: number | bigint | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly dryRun?: readonly string[] | undefined;
}

function fromQuery(query: URLSearchParams): Given {
  if (query.size === 0) return {};
  const orphanDependents = query.get('orphanDependents');
  return {
    gracePeriodSeconds: readInteger(query, 'gracePeriodSeconds'),
    orphanDependents: orphanDependents === null ? undefined : isTrue(orphanDependents),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    dryRun: query.getAll('dryRun').filter((value) => value !== ''),
  };
}

function fromBody(body: unknown): Given {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const what = Array.isArray(body) ? 'array' : typeof body;
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const fields = body as Readonly<Record<string, unknown>>;
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = fields;
  if (kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const preconditions = optional(fields, 'preconditions', 'object') as Readonly<Record<string, unknown>> | undefined;
  return {
    gracePeriodSeconds: optional(fields, 'gracePeriodSeconds', 'number') as number | bigint | undefined,
    orphanDependents: optional(fields, 'orphanDependents', 'boolean') as boolean | undefined,
    propagationPolicy: optional(fields, 'propagationPolicy', 'string') as string | undefined,
    dryRun: Array.isArray(fields['dryRun']) ? fields['dryRun'].map(String) : undefined,
    preconditions: preconditions && {
      ...pick(preconditions, 'uid'),
      ...pick(preconditions, 'resourceVersion'),
    },
  };
}

function pick(fields: Readonly<Record<string, unknown>>, name: string): object {
  const value = optional(fields, name, 'string');
  return value === undefined ? {} : { [name]: value };
}

function optional(fields: Readonly<Record<string, unknown>>, name: string, type: string): unknown {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (type === 'number' && typeof value === 'bigint') return value;
  if (typeof value !== type || Array.isArray(value)) {
    const go = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    const wanted = { number: 'int64', boolean: 'bool', object: 'v1.Preconditions', string: 'string' }[type] ?? type;
    throw badRequest(`json: cannot unmarshal ${go} into Go struct field DeleteOptions.${name} of type ${wanted}`);
  }
  return value;
}
