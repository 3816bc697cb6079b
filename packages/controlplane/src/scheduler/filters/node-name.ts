import type { Filter } from './filter.ts';

/** A pod that names its node goes to no other. */
export const nodeName: Filter = {
  name: 'NodeName',
  reasons: ({ spec }, { node }) =>
    !spec?.nodeName || spec.nodeName === node.metadata.name ? [] : ["node(s) didn't match the requested node name"],
};
