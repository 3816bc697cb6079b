import type { PolicyRule } from '@kubewright/apimachinery/rbac/v1';
import { formatPermission, includes, type Permission, toPermissions, toRules } from './permission.ts';
import type { UsedPermissions } from './used-permissions.ts';

/** Compares granted with needed permissions. Permissions are written in the form that `kubectl auth can-i` accepts. */
export interface PermissionReport {
  /** Permissions that were used or denied, but are not granted: add them. */
  readonly missing: readonly string[];
  /** Granted permissions that were never used so far and that no declaration needs: candidates for removal. */
  readonly superfluous: readonly string[];
  /** Granted permissions that a declaration needs, but that were not used so far. */
  readonly unproven: readonly string[];
  /** Permissions granted with `*`: it is unknown which of their parts are needed. */
  readonly tooWide: readonly string[];
}

/** The permissions of a manager: those it declares, and those it has actually used. */
export class Permissions {
  readonly #required: readonly Permission[];
  readonly #used: UsedPermissions;

  constructor(options: { readonly required: readonly Permission[]; readonly used: UsedPermissions }) {
    this.#required = options.required;
    this.#used = options.used;
  }

  /** Rules for everything that the declarations need and everything used so far: a starting point for a role. */
  get rules(): readonly PolicyRule[] {
    return toRules([...this.#required, ...this.#used.used, ...this.#used.rejected]);
  }

  /** Rules for everything used so far; after a run of all tests, the smallest role with which they pass. */
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
