import type { Filter } from './filter.ts';

/** Limits a pod with a node name to that node. */
export const nodeName: Filter = {
  name: 'NodeName',
  reasons: ({ spec }, { node }) =>
    !spec?.nodeName || spec.nodeName === node.metadata.name ? [] : ["node(s) didn't match the requested node name"],
};
