import { bindMacro } from '../syntax/binding-macros.ts';
import type { Library } from './library.ts';

/** `cel.bind(name, value, expression)`. Not available in Kubernetes rules. */
export const bindingsLibrary: Library = { name: 'cel.lib.ext.bindings', macros: [bindMacro] };
