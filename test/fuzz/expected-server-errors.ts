/** Parts of the server errors that kube-apiserver 1.36 gives for invalid requests, too. */
const upstream: readonly RegExp[] = [
  // server-side apply: structured-merge-diff's errors
  /failed to create typed (?:patch|live|new) object/,
  // strategic merge patch: its errors, but for malformed directives that are 400
  /does not contain declared merge key/,
  /unknown patch type: /,
  /list element types are not identical/,
  // server-side apply: a value that does not fit its type, as the apply is converted
  /failed to convert new object \(/,
  // watches and gets of a malformed version
  /resourceVersion: Invalid value: /,
  // streams into pods and proxies, which need nodes
  /is not implemented on this server; start it with/,
];

/** True if the body of a server error is one of upstream's, or that of a HEAD request. */
export function isExpectedServerError(body: string): boolean {
  return body === '' || upstream.some((pattern) => pattern.test(body));
}
