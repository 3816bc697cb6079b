import { defined } from '@kubewright/apimachinery/internal';
import { typeTable } from '../generated/type-table.ts';

/** One parsed definition of the table. */
export interface Definition {
  /** `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  /** JSON form of a type that is not a structure; empty for structures. */
  readonly special: '' | 'any' | 'fields' | 'intOrString' | 'quantity' | 'time' | 'microTime';
  readonly mapType?: 'granular' | 'atomic';
  /** Group, version and kind. Absent if the definition belongs to no kind or to several. */
  readonly gvk?: { readonly group: string; readonly version: string; readonly kind: string };
  /** In the order of the Go structure. */
  readonly fields: readonly Field[];
}

/** One field of a definition. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  /** The type in the notation of `scripts/generate-builtin/type-table.mjs`: `s`, `@3`, `[@3`, `{s`, … */
  readonly type: string;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly patchMergeKey?: string;
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly mapType?: 'granular' | 'atomic';
  readonly values?: readonly string[];
  readonly default?: unknown;
}

/** The generated table of built-in types. Finds definitions by name or kind and parses them on demand. */
export class TypeTable {
  readonly #lines: readonly string[];
  readonly #byName: ReadonlyMap<string, number>;
  #byKind: ReadonlyMap<string, number> | undefined;

  constructor() {
    this.#lines = typeTable.split('\n');
    this.#byName = new Map(this.#lines.map((line, index) => [line.slice(0, line.indexOf('\t')), index]));
  }

  /** The names of all definitions, sorted. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  indexOf(name: string): number | undefined {
    return this.#byName.get(name);
  }

  /** Returns the index of a kind's definition. */
  indexOfKind(gvk: { readonly group: string; readonly version: string; readonly kind: string }): number | undefined {
    this.#byKind ??= new Map(
      this.#lines.map((line, index) => [line.split('\t', 4)[3] ?? '', index] as const).filter(([kind]) => kind !== ''),
    );
    return this.#byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
  }

  nameAt(index: number): string {
    const line = this.#lines[index] ?? '';
    return line.slice(0, line.indexOf('\t'));
  }

  definitionAt(index: number): Definition {
    const [name = '', special = '', mapType = '', kind = '', ...fields] = (this.#lines[index] ?? '').split('\t');
    const gvk = gvkOf(kind);
    return {
      name,
      special: special as Definition['special'], // the generator writes no other value
      ...(mapType === '' ? {} : { mapType: mapType as 'granular' | 'atomic' }),
      ...defined({ gvk }),
      fields: fields.map(parseField),
    };
  }
}

/** Returns the index of the definition that a type refers to. */
export function referenceOf(type: string): number | undefined {
  return type.startsWith('@') ? Number(type.slice(1)) : undefined;
}

function gvkOf(text: string): Definition['gvk'] {
  if (text === '') return undefined;
  const [group = '', version = '', kind = ''] = text.split('/');
  return { group, version, kind };
}

function parseField(text: string): Field {
  const [head = '', type = '', ...options] = text.split(' ');
  const required = head.endsWith('!');
  const field: { -readonly [K in keyof Field]: Field[K] } = {
    name: required ? head.slice(0, -1) : head,
    required,
    type,
  };
  for (const option of options) readOption(field, option);
  return field;
}

/** The casts are safe: the generator copies these values from Kubernetes 1.36's OpenAPI documents. */
function readOption(field: { -readonly [K in keyof Field]: Field[K] }, option: string): void {
  const value = option.slice(2);
  switch (option.slice(0, 2)) {
    case 't=':
      field.listType = value as 'atomic' | 'set' | 'map';
      break;
    case 'k=':
      field.listMapKeys = value.split(',');
      break;
    case 'm=':
      field.patchMergeKey = value;
      break;
    case 's=':
      field.patchStrategies = value.split(',') as ('merge' | 'replace' | 'retainKeys')[];
      break;
    case 'a=':
      field.mapType = value as 'granular' | 'atomic';
      break;
    case 'e=':
      field.values = value.split(',');
      break;
    case 'd=':
      field.default = JSON.parse(value);
      break;
  }
}
