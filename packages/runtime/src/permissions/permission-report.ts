import type { PolicyRule } from '@kubewright/apimachinery/rbac/v1';
import { formatPermission, includes, type Permission, toPermissions, toRules } from './permission.ts';
import type { UsedPermissions } from './used-permissions.ts';

/** Compares granted with needed permissions. Permissions are written in the form that `kubectl auth can-i` accepts. */
export interface PermissionReport {
  /** Permissions that were used or denied but are not granted; add them to the role. */
  readonly missing: readonly string[];
  /** Granted permissions that have not been used so far and that no declaration needs; candidates for removal. */
  readonly superfluous: readonly string[];
  /** Granted permissions that a declaration needs but that have not been used so far. */
  readonly unproven: readonly string[];
  /** Permissions granted with `*`, of which the needed parts are unknown. */
  readonly tooWide: readonly string[];
}

/** The permissions that a manager declares, and the permissions that it has used. */
export class Permissions {
  readonly #required: readonly Permission[];
  readonly #used: UsedPermissions;

  constructor(options: { readonly required: readonly Permission[]; readonly used: UsedPermissions }) {
    this.#required = options.required;
    this.#used = options.used;
  }

  /** Rules for all permissions that are declared or have been used so far; a starting point for a role. */
  get rules(): readonly PolicyRule[] {
    return toRules([...this.#required, ...this.#used.used, ...this.#used.rejected]);
  }

  /**
   * Rules for all permissions used so far. After a run of all tests, this is the smallest role with which the tests
   * pass.
   */
  get used(): readonly PolicyRule[] {
    return toRules(this.#used.used);
  }

  /**
   * Compares the permissions in use with the rules that a role grants.
   *
   * @example
   * ```ts
   * const { missing, superfluous } = manager.permissions.report(role.rules);
   * expect(missing).toEqual([]);
   * ```
   */
  report(granted: readonly PolicyRule[]): PermissionReport {
    const given = toPermissions(granted);
    const { used, rejected } = this.#used;
    const texts = (list: readonly Permission[]): readonly string[] => [...new Set(list.map(formatPermission))].sort();
    const needs = (each: Permission, list: readonly Permission[]): boolean => list.some((one) => includes(each, one));
    const isWide = ({ group, resource, verb }: Permission): boolean => `${group}${resource}${verb}`.includes('*');
    const exact = given.filter((each) => !isWide(each));
    const idle = exact.filter((each) => !needs(each, used));
    return {
      missing: texts([...used, ...rejected].filter((each) => !given.some((one) => includes(one, each)))),
      superfluous: texts(idle.filter((each) => !needs(each, this.#required))),
      unproven: texts(idle.filter((each) => needs(each, this.#required))),
      tooWide: texts(given.filter(isWide)),
    };
  }
}
