import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { ConfigMap, Secret } from '../generated/drafts.ts';

/** Secrets. `stringData` is merged into `data` when defaults are set, see `core-defaults.ts`. */
export const secrets: BuiltinKind = builtinKind<Secret>({
  resource: '/v1/secrets',
  struct: 'v1.Secret',
  fieldLabels: { type: ({ type }) => type ?? '' },
});

/** ConfigMaps. */
export const configMaps: BuiltinKind = builtinKind<ConfigMap>({ resource: '/v1/configmaps', struct: 'v1.ConfigMap' });
