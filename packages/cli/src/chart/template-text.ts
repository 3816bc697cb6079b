import { formatYaml } from '@kubewright/schema/internal';

/** Returns lines of a template, indented to a column. */
export type Lines = (column: number) => readonly string[];

/**
 * Returns a placeholder prefix that the text does not contain. Placeholders sort after the fields of any manifest, so
 * that no list item starts with one.
 */
function markFor(text: string): string {
  let mark = 'zzkwtemplate';
  while (text.includes(mark)) mark += 'x';
  return mark;
}

/** Escapes text that looks like a template action. */
export function plain(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/**
 * Writes manifests with Helm actions in them. An action replaces a value, an item or a field. Actions are inserted
 * after the YAML is written, so the quoting of YAML and of templates stays independent.
 */
export class TemplateText {
  readonly #actions: (string | Lines)[] = [];
  readonly #prefix: string;

  /** @param source - the known parts of the object to write; placeholders differ from all of its strings */
  constructor(source: unknown) {
    this.#prefix = markFor(JSON.stringify(source));
  }

  /** Returns a placeholder for a scalar or a part of one. The action adds its own quotes if needed. */
  value(action: string): string {
    return this.#mark(action);
  }

  /** Returns a placeholder for a list item. */
  item(lines: Lines): string {
    return this.#mark(lines);
  }

  /** Returns a placeholder for fields of an object. */
  fields(lines: Lines): Readonly<Record<string, null>> {
    return { [this.#mark(lines)]: null };
  }

  /** Writes an object as YAML; text that looks like an action is escaped. */
  write(object: object): string {
    const text = plain(formatYaml(object));
    const line = new RegExp(`^( *)(?:- )?${this.#prefix}(\\d+)z(?:: null)?$`);
    const filled = text.split('\n').flatMap((text) => {
      const [, indent = '', index] = line.exec(text) ?? [];
      const action = index === undefined ? undefined : this.#actions[Number(index)];
      const written = typeof action === 'function' ? action(indent.length) : [text];
      // Lines can contain quoted actions.
      return written.map((each) => this.#fill(each));
    });
    return filled.join('\n');
  }

  #fill(line: string): string {
    return line.replace(new RegExp(`${this.#prefix}(\\d+)z`, 'g'), (_, index: string) =>
      String(this.#actions[Number(index)]),
    );
  }

  #mark(action: string | Lines): string {
    this.#actions.push(action);
    return `${this.#prefix}${this.#actions.length - 1}z`;
  }
}

/** Returns a string as YAML on one line; quoted unless it contains only characters common in flags, names and paths. */
export function scalar(text: string): string {
  return /^(--[a-z]|\/)[\w./=:-]*\w$|^[a-z][\w./-]*[/-][\w./-]*\w$/i.test(text) ? text : plain(JSON.stringify(text));
}

/** Indents lines to the column; lines keep their relative indentation. */
export function lines(...texts: readonly string[]): Lines {
  return (column) => texts.map((text) => `${' '.repeat(column)}${text}`);
}

/** Wraps lines in a condition. */
export function when(condition: string, then: Lines): Lines {
  return (column) => [...lines(`{{- if ${condition} }}`)(column), ...then(column), ...lines('{{- end }}')(column)];
}

/** Writes a field with a chart value, and omits it if the value is empty. */
export function optionalField(name: string, path: string): Lines {
  return (column) =>
    lines(`{{- with ${path} }}`, `${name}:`, `  {{- toYaml . | nindent ${column + 2} }}`, '{{- end }}')(column);
}

/** Writes the entries of a map or list in the chart's values after the existing entries. */
export function entries(path: string): Lines {
  return (column) => lines(`{{- with ${path} }}`, `{{- toYaml . | nindent ${column} }}`, '{{- end }}')(column);
}
