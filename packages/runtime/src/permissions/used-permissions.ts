import type { ClientInterceptor, Verb } from '@kubewright/client';
import type { CallTarget } from '@kubewright/client/internal';
import type { Permission } from './permission.ts';

interface Use extends Permission {
  readonly kind: string;
  allowed: boolean;
}

/** Maximum number of distinct permissions; a program has a few dozen. */
const most = 10_000;

/** Records the permissions that a client's calls needed, and which of them were denied. */
export class UsedPermissions {
  readonly #uses = new Map<string, Use>();

  readonly interceptor: ClientInterceptor = async (call, next) => {
    const response = await next(call);
    if (!call.target || call.verb === 'raw') return response;
    const allowed = response.status !== 401 && response.status !== 403;
    for (const verb of verbsOf(call.verb, response.status)) this.#note(call.target, { verb, allowed });
    return response;
  };

  /** Permissions that were requested and allowed, each listed once. */
  get used(): readonly Permission[] {
    return this.#list(true);
  }

  /** Permissions that were requested and denied every time. */
  get rejected(): readonly Permission[] {
    const uses = [...this.#uses.values()];
    // A request with a wrongly guessed plural is denied, and then repeated with the right plural.
    const wasCorrected = (use: Permission & { readonly kind: string }): boolean =>
      uses.some((each) => each.allowed && each.kind === use.kind && each.group === use.group && each.verb === use.verb);
    return this.#list(false).filter((use) => !wasCorrected(use));
  }

  #list(allowed: boolean): readonly Use[] {
    return [...this.#uses.values()].filter((each) => each.allowed === allowed);
  }

  #note(
    { group, resource, subresource, kind }: CallTarget,
    { verb, allowed }: { verb: string; allowed: boolean },
  ): void {
    const full = subresource === undefined ? resource : `${resource}/${subresource}`;
    const id = `${verb} ${full} ${group}`;
    const known = this.#uses.get(id);
    if (known) known.allowed ||= allowed;
    else if (this.#uses.size < most) this.#uses.set(id, { group, resource: full, verb, kind, allowed });
  }
}

/** Returns the verbs that RBAC checks: a server-side apply is a patch, and a create too if the object did not exist. */
function verbsOf(verb: Verb, status: number): readonly string[] {
  if (verb !== 'apply') return [verb];
  return status === 201 ? ['patch', 'create'] : ['patch'];
}
