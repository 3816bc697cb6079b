import type { Problems } from '../problem.ts';
import type { ProjectView } from './project.ts';
import { readType } from './read-checked-type.ts';
import { readField } from './read-field.ts';
import { readWritten } from './read-written-type.ts';
import type { Reading } from './reading.ts';
import type { TypeModel } from './type-model.ts';
import type { ts } from './typescript.ts';

/**
 * Reads types that JSON can represent, and reports other types. Reads types as written where possible, because the compiler
 * drops the names and comments of some aliases.
 */
export class TypeReader {
  readonly #reading: Reading;

  constructor(view: ProjectView, problems: Problems) {
    this.#reading = {
      view,
      problems,
      checker: view.checker,
      stack: [],
      node: (node, place) => readWritten(this.#reading, node, place),
      type: (type, place) => readType(this.#reading, type, place),
      value: (property, place) => readField(this.#reading, property, place),
    };
  }

  readNode(node: ts.TypeNode, path: string): TypeModel {
    return this.#reading.node(node, { node, path });
  }
}
