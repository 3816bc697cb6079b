import type { GroupVersionKind } from '@kubewright/apimachinery';
import { builtinDefinitionName } from '../builtin/builtin-schema.ts';

/** Returns the name of a kind's schema in OpenAPI documents: `io.k8s.api.apps.v1.Deployment`, `com.example.v1.Widget`. */
export function componentName(kind: GroupVersionKind): string {
  return builtinDefinitionName(kind) ?? customComponentName(kind);
}

/** Returns the name of a custom kind's schema: the group's parts in reverse order, then version and kind. */
export function customComponentName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Meta schemas that operations refer to, by name. */
export const metaComponents: Readonly<
  Record<'deleteOptions' | 'listMeta' | 'objectMeta' | 'patch' | 'status', string>
> = {
  deleteOptions: `${meta}.DeleteOptions`,
  listMeta: `${meta}.ListMeta`,
  objectMeta: `${meta}.ObjectMeta`,
  patch: `${meta}.Patch`,
  status: `${meta}.Status`,
};
