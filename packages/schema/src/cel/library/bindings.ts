import { BIND_MACRO } from '../syntax/binding-macros.ts';
import type { Library } from './library.ts';

/** `cel.bind(name, value, expression)`. Not available in Kubernetes rules. */
export const BINDINGS: Library = { name: 'cel.lib.ext.bindings', macros: [BIND_MACRO] };
