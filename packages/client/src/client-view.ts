import { impersonationHeaders } from './config/impersonation-headers.ts';
import type { ClientInterceptor } from './interceptor.ts';

/** A user to impersonate in calls; the caller needs the right to impersonate. */
export interface ImpersonatedUser {
  /** A user name such as `jane` or `system:serviceaccount:shop:web`. */
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Settings for all calls of a client; see {@link KubernetesClient.with}. */
export interface ClientView {
  /** Field manager for all writes that do not set one. */
  readonly fieldManager?: string;
  /** Handling of unknown and duplicate fields in written objects. Does not affect applies, which are always strict. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** True to make all writes dry runs: the server validates and responds, but stores nothing. @defaultValue false */
  readonly dryRun?: boolean;
  /** Binds the client to one namespace: calls without a namespace use it; calls in another namespace are rejected. */
  readonly namespace?: string;
  /** Impersonates a user in all calls. */
  readonly impersonate?: ImpersonatedUser;
}

/** Adds the impersonation headers to each call. */
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
