import { hint, type Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const name = 'DynamicResources';
const rejection = unresolvable(
  name,
  'resource claims (dynamic resource allocation) are not supported by this scheduler',
);

/** Rejects pods with resource claims, because this scheduler does not allocate devices. */
export const dynamicResources: Plugin = {
  name,
  preFilter: ({ pod }) => (pod.spec?.resourceClaims?.length ? rejection : undefined),
  hints: [hint('Pod', ['UpdateGatesEliminated'], (pod, { now }) => pod.uid === now?.uid)],
};
