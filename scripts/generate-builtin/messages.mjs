/** Scalar types of the protobuf data, with their letters in the table. */
export const scalars = new Map([
  ['string', 's'],
  ['bool', 'b'],
  ['int32', 'i'],
  ['int64', 'l'],
  ['bytes', 'y'],
  ['double', 'n'],
]);

/** Returns the facts of a message's fields, in the order of the Go structure; see record-go-fields.mjs. */
export function factsOf(text) {
  return text
    .split(' ')
    .filter((item) => item !== '')
    .map((part) => {
      const match = /^(\d+)(?:=([^:]+))?(?::(\w+))?$/.exec(part);
      if (match === null) throw new Error(`cannot parse the Go field fact ${part}`);
      return { number: match[1], name: match[2], flags: match[3] ?? '' };
    });
}

/** Returns the name of the message that a field's type refers to; undefined for other types. */
export function resolve(messages, { type, owner }) {
  if (scalars.has(type)) return undefined;
  const name = type.startsWith('.') ? type.slice(1) : `${owner.slice(0, owner.lastIndexOf('.'))}.${type}`;
  return messages[name] === undefined ? undefined : name;
}

/** `io.k8s.kube-aggregator.pkg…` → `k8s.io.kube_aggregator.pkg…` */
export function messageName(definition) {
  return definition.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');
}

/** `k8s.io.kube_aggregator.pkg…` → `io.k8s.kube-aggregator.pkg…` */
export function definitionName(message) {
  return message.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
}
