import { builtinDefinitions, builtinResources } from '@kubewright/schema/internal';
import type { ProjectView } from './project.ts';
import type { ts } from './typescript.ts';

/** The meaning of a declaration in the package of Kubernetes' types. */
export type DeclaredBuiltin =
  | { readonly type: 'definition'; readonly definition: string }
  | { readonly type: 'intOrString' | 'embeddedResource' }
  | { readonly type: 'class'; readonly name: string };

/** The parts of a kind that RBAC rules and webhooks refer to. */
export interface KindRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

const typesPackage = '@kubewright/apimachinery';

/** The types of the package that are not generated, and their meaning. */
const byHand: Readonly<Record<string, DeclaredBuiltin>> = {
  IntOrString: { type: 'intOrString' },
  KubernetesObject: { type: 'embeddedResource' },
  UnstructuredObject: { type: 'embeddedResource' },
  Quantity: { type: 'class', name: 'Quantity' },
};

/** Returns the Kubernetes type of a declaration in the package, or undefined. */
export function builtinTypeOf(view: ProjectView, declaration: ts.Node, name: string): DeclaredBuiltin | undefined {
  const file = view.fileOfPackage(declaration, typesPackage);
  if (file === undefined) return undefined;
  const generated = /(?:^|\/)generated\/([a-z]+-v\w+)$/.exec(file);
  const definition = definitions().get(`${generated?.[1] ?? 'meta-v1'}.${name}`);
  if (definition !== undefined) return { type: 'definition', definition };
  return generated === null && Object.hasOwn(byHand, name) ? byHand[name] : undefined;
}

/** Returns the built-in kind of a constant: `Pod` of `core/v1`. */
export function builtinKindOf(view: ProjectView, declaration: ts.Node, name: string): KindRef | undefined {
  const file = view.fileOfPackage(declaration, typesPackage);
  const match = /(?:^|\/)generated\/([a-z]+)-(v\w+)$/.exec(file ?? '');
  if (match === null) return undefined;
  const found = builtinResources().find(
    ({ group, version, kind }) => kind === name && version === match[2] && (group.split('.')[0] || 'core') === match[1],
  );
  return found && { group: found.group, version: found.version, kind: found.kind, plural: found.resource };
}

// A cache, safe to share: its content depends on constants only.
let byFile: ReadonlyMap<string, string> | undefined;

/** `core-v1.Pod` → `io.k8s.api.core.v1.Pod`. */
function definitions(): ReadonlyMap<string, string> {
  byFile ??= new Map(
    builtinDefinitions().map((definition) => {
      const [name, version, group] = definition.split('.').reverse();
      return [`${group}-${version}.${name}`, definition];
    }),
  );
  return byFile;
}
