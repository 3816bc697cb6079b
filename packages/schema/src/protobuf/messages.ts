import { parseApiVersion } from '@kubewright/apimachinery';
import { builtinDefinitionName } from '../builtin/builtin-schema.ts';
import { MessageTable } from './message-table.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The `apiVersion` and `kind` of an object. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

// A cache, safe to share because its content depends only on a constant.
let shared: MessageTable | undefined;

/** Returns the table of all messages. */
export function messageTable(): MessageTable {
  shared ??= new MessageTable();
  return shared;
}

/**
 * Returns the index of a type's message; undefined for types without a message, such as custom resources. Kinds of
 * meta/v1, such as `DeleteOptions`, may have the apiVersion of any group.
 */
export function messageOf(table: MessageTable, { apiVersion, kind }: TypeMeta): number | undefined {
  const definition = builtinDefinitionName({ ...parseApiVersion(apiVersion), kind });
  return (definition === undefined ? undefined : table.indexOf(definition)) ?? table.indexOf(`${metaPackage}.${kind}`);
}
