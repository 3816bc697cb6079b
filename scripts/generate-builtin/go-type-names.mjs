import { definitionName } from './messages.mjs';
import { textModule } from './text-module.mjs';

/** Returns the module with the names in decode errors that exist only in the Go types. */
export function goTypeNames({ goFields: { types, embedded } }) {
  const named = Object.entries(types).map(([field, type]) => [
    field.startsWith('k8s.io.') ? definitionName(field) : field,
    type,
  ]);
  const promoted = Object.entries(embedded).map(([field, path]) => [field, `<${path}`]);
  return textModule('goTypeNames', {
    about:
      'The Go types of fields with a named type that is not a structure (`Container.imagePullPolicy v1.PullPolicy`), and the ' +
      'embedded structures that promote a field (`Volume.hostPath <VolumeSource`).',
    lines: [...named, ...promoted].map((entry) => entry.join(' ')),
  });
}
