import { apiVersionOf } from '@kubewright/apimachinery';
import type { Draft, SubresourceDefinition } from '../registry/index.ts';

const flags = ['stdin', 'stdout', 'stderr', 'tty'];
const texts = ['container', 'path'];

/** Returns a stream's options as the object passed to admission: `PodExecOptions` and similar. */
export function connectOptions(definition: SubresourceDefinition, query: URLSearchParams): Draft {
  const options: Record<string, unknown> = { kind: definition.kind, apiVersion: apiVersionOf(definition) };
  for (const flag of flags) {
    if (/^(?:1|t|true)$/i.test(query.get(flag) ?? '')) options[flag] = true;
  }
  for (const name of texts) if (query.get(name)) options[name] = query.get(name);
  const command = query.getAll('command');
  if (command.length > 0) options['command'] = command;
  const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
  if (ports.length > 0) options['ports'] = ports;
  // Unlike a draft, options have no metadata, but nothing reads it.
  return options as unknown as Draft;
}
