import { protobuf } from '@kubewright/schema/internal';

/** Returns the text of a body; for protobuf, the JSON that it contains. */
export function readableBody(body: Buffer, contentType = ''): string {
  if (!contentType.startsWith('application/vnd.kubernetes.protobuf')) return body.toString('utf8');
  try {
    return JSON.stringify(protobuf.decode(body));
  } catch {
    return ''; // neither JSON nor an object, as in watch events and discovery: only the status is compared
  }
}
