import { impersonationHeaders } from './config/impersonation-headers.ts';
import type { ClientInterceptor } from './interceptor.ts';

/** Somebody in whose name calls are made; the caller needs the right to impersonate. */
export interface ImpersonatedUser {
  /** Such as `jane` or `system:serviceaccount:shop:web`. */
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What all calls of a client have in common; see {@link KubernetesClient.with}. */
export interface ClientView {
  /** Field manager of all writes that name none. */
  readonly fieldManager?: string;
  /** What unknown and duplicate fields of a written object lead to. Not for applies: those are always strict. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Whether all writes are dry runs: the server checks and answers, and keeps nothing. @defaultValue false */
  readonly dryRun?: boolean;
  /** Binds the client to one namespace: calls that name none are on it, calls on another one are refused. */
  readonly namespace?: string;
  /** Makes the calls in somebody else's name. */
  readonly impersonate?: ImpersonatedUser;
}

/** Adds impersonation's headers to each call. */
export function impersonating(user: ImpersonatedUser): ClientInterceptor {
  const single: Record<string, string> = {};
  const repeated: Record<string, readonly string[]> = {};
  const { groups = [], extra = {} } = user;
  const all = impersonationHeaders({ ...user, groups, extra: new Map(Object.entries(extra)) });
  for (const [name, value] of Object.entries(all)) {
    if (typeof value === 'string') single[name] = value;
    else repeated[name] = value;
  }
  return (call, next) => {
    const { headers, repeatedHeaders } = call.request;
    const added = { headers: { ...headers, ...single }, repeatedHeaders: { ...repeatedHeaders, ...repeated } };
    return next({ ...call, request: { ...call.request, ...added } });
  };
}
