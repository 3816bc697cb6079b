/**
 * The users of a cluster's pods and persistent volume claims. All nodes use one table, because pods on different nodes can mount
 * the same claim.
 */
export class AssignedUsers {
  /** User ids by pod uid. */
  readonly pods: Map<string, number> = new Map();
  /** User ids by claim, `namespace/name`. */
  readonly claims: Map<string, number> = new Map();
}
