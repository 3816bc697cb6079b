import type { PolicyRule } from '@kubewright/apimachinery/rbac/v1';
import { formatPermission, includes, type Permission, toPermissions, toRules } from './permission.ts';
import type { UsedPermissions } from './used-permissions.ts';

/** What is granted, compared with what is needed. Permissions are written as `kubectl auth can-i` takes them. */
export interface PermissionReport {
  /** Used, or refused, and not granted: add these. */
  readonly missing: readonly string[];
  /** Granted, never used so far, and needed by no declaration: candidates to be taken away. */
  readonly superfluous: readonly string[];
  /** Granted and needed by a declaration, though not used so far: no run has needed them yet. */
  readonly unproven: readonly string[];
  /** Granted with `*`: nobody can say what of it is needed. */
  readonly tooWide: readonly string[];
}

/** What a manager knows of its permissions: by its declarations, and by what it has really done. */
export class Permissions {
  readonly #required: readonly Permission[];
  readonly #used: UsedPermissions;

  constructor(options: { readonly required: readonly Permission[]; readonly used: UsedPermissions }) {
    this.#required = options.required;
    this.#used = options.used;
  }

  /** Rules for all that the declarations need and all that was used so far: a role to begin with. */
  get rules(): readonly PolicyRule[] {
    return toRules([...this.#required, ...this.#used.used, ...this.#used.refused]);
  }

  /** Rules for what was used so far; after a run of all tests, the smallest role that they pass with. */
  get used(): readonly PolicyRule[] {
    return toRules(this.#used.used);
  }

  /**
   * Compares with what is granted: the rules of a role.
   *
   * @example
   * ```ts
   * const { missing, superfluous } = manager.permissions.report(role.rules);
   * expect(missing).toEqual([]);
   * ```
   */
  report(granted: readonly PolicyRule[]): PermissionReport {
    const given = toPermissions(granted);
    const { used, refused } = this.#used;
    const texts = (list: readonly Permission[]): readonly string[] => [...new Set(list.map(formatPermission))].sort();
    const needs = (each: Permission, list: readonly Permission[]): boolean => list.some((one) => includes(each, one));
    const isWide = ({ group, resource, verb }: Permission): boolean => `${group}${resource}${verb}`.includes('*');
    const exact = given.filter((each) => !isWide(each));
    const idle = exact.filter((each) => !needs(each, used));
    return {
      missing: texts([...used, ...refused].filter((each) => !given.some((one) => includes(one, each)))),
      superfluous: texts(idle.filter((each) => !needs(each, this.#required))),
      unproven: texts(idle.filter((each) => needs(each, this.#required))),
      tooWide: texts(given.filter(isWide)),
    };
  }
}
