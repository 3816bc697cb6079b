import { Buffer } from 'node:buffer';
import type { Storage, UserInfo } from '@kubewright/apiserver';
import { followStorage, type StoredObject, storagePrefix } from '@kubewright/apiserver/internal';
import type { PolicyRule } from './policy-rule.ts';

const resources = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
const root = '/registry/';

interface Role {
  readonly rules?: readonly PolicyRule[] | null;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Binding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

/** A rule that applies to a user, and the binding that granted it. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /** The binding, for messages: `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
  readonly origin: string;
}

/**
 * Indexes roles and bindings by subject and follows the storage. Looking up a user's rules visits only the bindings that name the
 * user or one of its groups.
 */
export class RbacIndex implements Disposable {
  readonly #roles = new Map<string, Role>();
  readonly #bindings = new Map<string, Binding>();
  readonly #bySubject = new Map<string, Set<Binding>>();
  readonly #subscriptions: Disposable[] = [];

  /** Reads the stored objects, then follows their changes. Resolves once the index is complete. */
  async start(storage: Storage): Promise<void> {
    for (const resource of resources) {
      const follower = await followStorage(storage, {
        prefix: storagePrefix({ group: 'rbac.authorization.k8s.io', resource }),
        apply: ({ key, current }) => (current ? this.#set(current) : this.#remove(key.slice(root.length))),
      });
      this.#subscriptions.push(follower);
    }
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  /** Returns the rules of a referenced role, or undefined if it does not exist. */
  role(namespace: string, ref: { readonly kind: string; readonly name: string }): readonly PolicyRule[] | undefined {
    const key = ref.kind === 'ClusterRole' ? `clusterroles/${ref.name}` : `roles/${namespace}/${ref.name}`;
    const role = this.#roles.get(key);
    return role && (role.rules ?? []);
  }

  /** Yields every rule that applies to a user: cluster-wide rules and, if a namespace is given, the rules of that namespace. */
  *rulesFor(user: UserInfo, namespace: string): Generator<GrantedRule> {
    for (const subject of subjectsOf(user)) {
      for (const binding of this.#bySubject.get(subject.key) ?? []) {
        if (binding.namespace !== '' && binding.namespace !== namespace) continue;
        const origin = describe(binding, subject.text);
        for (const rule of this.role(binding.namespace, binding.roleRef) ?? []) yield { rule, origin };
      }
    }
  }

  #set(stored: StoredObject): void {
    const key = stored.key.slice(root.length);
    const object = JSON.parse(Buffer.from(stored.bytes).toString('utf8')) as Record<string, unknown>;
    this.#remove(key);
    if (key.startsWith('roles/') || key.startsWith('clusterroles/')) {
      this.#roles.set(key, object as Role);
      return;
    }
    const { name = '', namespace = '' } = object['metadata'] as { name?: string; namespace?: string };
    const binding: Binding = {
      name,
      namespace: key.startsWith('rolebindings/') ? namespace : '',
      subjects: (object['subjects'] as Subject[] | null | undefined) ?? [],
      roleRef: object['roleRef'] as Binding['roleRef'],
    };
    this.#bindings.set(key, binding);
    for (const subject of binding.subjects) {
      const subjectKey = keyOf(subject, binding.namespace);
      const set = this.#bySubject.get(subjectKey) ?? new Set<Binding>();
      set.add(binding);
      this.#bySubject.set(subjectKey, set);
    }
  }

  #remove(key: string): void {
    this.#roles.delete(key);
    const binding = this.#bindings.get(key);
    if (!binding) return;
    this.#bindings.delete(key);
    for (const subject of binding.subjects) {
      const subjectKey = keyOf(subject, binding.namespace);
      const bindings = this.#bySubject.get(subjectKey);
      bindings?.delete(binding);
      if (bindings?.size === 0) this.#bySubject.delete(subjectKey);
    }
  }
}

function keyOf(subject: Subject, bindingNamespace: string): string {
  if (subject.kind === 'ServiceAccount') {
    return `User/system:serviceaccount:${subject.namespace ?? bindingNamespace}:${subject.name}`;
  }
  return `${subject.kind}/${subject.name}`;
}

function* subjectsOf(user: UserInfo): Generator<{ readonly key: string; readonly text: string }> {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.username);
  const text = account ? `ServiceAccount "${account[2]}/${account[1]}"` : `User "${user.username}"`;
  yield { key: `User/${user.username}`, text };
  for (const group of user.groups) yield { key: `Group/${group}`, text: `Group "${group}"` };
}

function describe(binding: Binding, subject: string): string {
  const { kind, name } = binding.roleRef;
  return binding.namespace === ''
    ? `ClusterRoleBinding "${binding.name}" of ${kind} "${name}" to ${subject}`
    : `RoleBinding "${binding.name}/${binding.namespace}" of ${kind} "${name}" to ${subject}`;
}
