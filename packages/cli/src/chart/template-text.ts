import { formatYaml } from '@kubewright/codegen';

/** Lines of a template, given the column at which they stand. */
export type Lines = (column: number) => readonly string[];

/** Marks for a text that holds none of them yet; they sort behind the fields of any manifest, so that none stands first behind the dash of an item. */
function markFor(text: string): string {
  let mark = 'zzkwtemplate';
  while (text.includes(mark)) mark += 'x';
  return mark;
}

/** Keeps what looks like an action, and is none, from being one. */
export function plain(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/**
 * Writes manifests with Helm's actions in them. An action takes the place of a value, an item or a field, and is put in once
 * the YAML is written: neither side has to know of the other's quotes.
 */
export class TemplateText {
  readonly #actions: (string | Lines)[] = [];
  readonly #prefix: string;

  /** @param source - what is written later, as far as it is known: no text of it is taken for a mark */
  constructor(source: unknown) {
    this.#prefix = markFor(JSON.stringify(source));
  }

  /** Stands for a scalar, or a part of one; the action writes quotes itself where it needs them. */
  value(action: string): string {
    return this.#mark(action);
  }

  /** Stands for an item of a list. */
  item(lines: Lines): string {
    return this.#mark(lines);
  }

  /** Stands for fields of an object. */
  fields(lines: Lines): Readonly<Record<string, null>> {
    return { [this.#mark(lines)]: null };
  }

  /** Writes an object; what looks like an action and is none is kept from being one. */
  write(object: object): string {
    const text = plain(formatYaml(object));
    const line = new RegExp(`^( *)(?:- )?${this.#prefix}(\\d+)z(?:: null)?$`);
    const filled = text.split('\n').flatMap((text) => {
      const [, indent = '', index] = line.exec(text) ?? [];
      const action = index === undefined ? undefined : this.#actions[Number(index)];
      const written = typeof action === 'function' ? action(indent.length) : [text];
      // Lines may quote what is an action itself.
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

/** A string as YAML in one line; quoted where another character than in flags, names and paths is in it. */
export function scalar(text: string): string {
  return /^(--[a-z]|\/)[\w./=:-]*\w$|^[a-z][\w./-]*[/-][\w./-]*\w$/i.test(text) ? text : plain(JSON.stringify(text));
}

/** Lines that stand at the column, some of them further in. */
export function lines(...texts: readonly string[]): Lines {
  return (column) => texts.map((text) => `${' '.repeat(column)}${text}`);
}

/** Lines that are there under a condition. */
export function when(condition: string, then: Lines): Lines {
  return (column) => [...lines(`{{- if ${condition} }}`)(column), ...then(column), ...lines('{{- end }}')(column)];
}

/** A field with a value of the chart's, absent while that is empty. */
export function optionalField(name: string, path: string): Lines {
  return (column) =>
    lines(`{{- with ${path} }}`, `${name}:`, `  {{- toYaml . | nindent ${column + 2} }}`, '{{- end }}')(column);
}

/** Entries of a map of the chart's, added to those that are there. */
export function entries(path: string): Lines {
  return (column) => lines(`{{- with ${path} }}`, `{{- toYaml . | nindent ${column} }}`, '{{- end }}')(column);
}
