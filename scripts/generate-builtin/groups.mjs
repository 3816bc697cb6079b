/** The package of the definitions that all groups share. */
export const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * The definitions of a group and version, and the name of its module.
 *
 * @typedef {object} GroupVersion
 * @property {string} group - as in manifests
 * @property {string} version
 * @property {string} short - group up to the first dot; `core` for the core group
 * @property {string} path - `/api/v1`, `/apis/apps/v1`
 * @property {string} package - prefix of the definitions' names
 */

/**
 * Returns the groups and versions that a fresh API server serves, in the server's order, core group first.
 *
 * @param {import('./read-data.mjs').Data} data
 * @returns {GroupVersion[]}
 */
export function groupVersions(data) {
  const all = [{ group: '', version: 'v1', short: 'core', path: '/api/v1', package: 'io.k8s.api.core.v1' }];
  for (const group of data.apis.groups) {
    for (const { version } of group.versions) {
      const short = group.name.split('.')[0];
      all.push({
        group: group.name,
        version,
        short,
        path: `/apis/${group.name}/${version}`,
        package: packageOf(data, { short, version }),
      });
    }
  }
  return all;
}

function packageOf(data, { short, version }) {
  const candidates = [
    `io.k8s.api.${short}.${version}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.${short}.${version}`,
    `io.k8s.kube-aggregator.pkg.apis.${short}.${version}`,
  ];
  const names = Object.keys(data.definitions);
  const found = candidates.find((candidate) => names.some((name) => packageOfName(name) === candidate));
  if (found === undefined) throw new Error(`the OpenAPI document has no definitions of ${short}/${version}`);
  return found;
}

/** @param {string} name - of a definition */
export function packageOfName(name) {
  return name.slice(0, name.lastIndexOf('.'));
}

/** @param {string} name - of a definition */
export function shortName(name) {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** @param {string} reference - `#/definitions/…` */
export function targetOf(reference) {
  return reference.slice('#/definitions/'.length);
}
