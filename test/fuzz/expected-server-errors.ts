/** Server errors (5xx) that kube-apiserver 1.36 also returns for invalid requests. */
const upstream: readonly RegExp[] = [
  // server-side apply: structured-merge-diff's errors
  /failed to create typed (?:patch|live|new) object/,
  // strategic merge patch: errors in the patch, except malformed directives, which yield 400
  /does not contain declared merge key/,
  /unknown patch type: /,
  /list element types are not identical/,
  // server-side apply: a value of the wrong type, found when the applied object is converted
  /failed to convert new object \(/,
  // watches and gets with a malformed resourceVersion
  /resourceVersion: Invalid value: /,
  // exec, attach and proxy requests, which need nodes
  /is not implemented on this server; start it with/,
];

/**
 * Reports whether upstream returns the same server error. An empty body always matches, because responses to HEAD have
 * none.
 */
export function isExpectedServerError(body: string): boolean {
  return body === '' || upstream.some((pattern) => pattern.test(body));
}
