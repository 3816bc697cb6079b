import { formatYaml } from '@kubewright/schema/internal';

// Implements the subset of Go templates and Sprig that our charts use, and rejects everything else.
// `helm-recorded.json` contains Helm's output for a chart. A test compares Helm's output with ours, so a mistake in
// this renderer cannot hide a mistake in the chart.

type Scope = { readonly dot: unknown; readonly root: unknown };
type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: string }
  | { readonly type: 'if' | 'with' | 'range'; readonly branches: readonly Branch[] };
interface Branch {
  /** Undefined for `else`. */
  readonly pipeline: string | undefined;
  readonly body: readonly Node[];
}

/** Renders every template of a chart like `helm template`; returns the rendered files by path. */
export function renderChart(templates: ReadonlyMap<string, string>, root: object): ReadonlyMap<string, string> {
  const defined = new Map<string, readonly Node[]>();
  const bodies = new Map<string, readonly Node[]>();
  for (const [path, text] of templates) bodies.set(path, new Parser(text, defined).all());
  const render = new Renderer(defined);
  return new Map(
    [...bodies]
      .filter(([path]) => !path.endsWith('.tpl'))
      .map(([path, body]) => [path, render.nodes(body, { dot: root, root })]),
  );
}

class Parser {
  readonly #tokens: { readonly text?: string; readonly action?: string }[] = [];
  readonly #defined: Map<string, readonly Node[]>;
  #at = 0;

  constructor(source: string, defined: Map<string, readonly Node[]>) {
    this.#defined = defined;
    let trimNext = false;
    let rest = source;
    for (;;) {
      // Strings may contain braces.
      const found = /\{\{(-\s)?((?:"(?:[^"\\]|\\.)*"|[^"}]|\}(?!\}))*?)(\s-)?\}\}/s.exec(rest);
      let text = found ? rest.slice(0, found.index) : rest;
      if (trimNext) text = text.trimStart();
      if (found?.[1] !== undefined) text = text.trimEnd();
      this.#tokens.push({ text });
      if (!found) return;
      this.#tokens.push({ action: (found[2] ?? '').trim() });
      trimNext = found[3] !== undefined;
      rest = rest.slice(found.index + found[0].length);
    }
  }

  all(): readonly Node[] {
    const { nodes, end } = this.#until();
    if (end !== undefined) throw new Error(`${end} without a beginning`);
    return nodes;
  }

  #until(): { readonly nodes: readonly Node[]; readonly end: string | undefined } {
    const nodes: Node[] = [];
    for (let token = this.#tokens[this.#at++]; token; token = this.#tokens[this.#at++]) {
      const { text, action } = token;
      if (text !== undefined) nodes.push({ type: 'text', text });
      if (action === undefined || action.startsWith('/*')) continue;
      const [word = '', ...more] = action.split(/\s+/);
      const pipeline = more.join(' ');
      if (word === 'end' || word === 'else') return { nodes, end: action };
      if (word === 'if' || word === 'with' || word === 'range') nodes.push(this.#block(word, pipeline));
      else if (word === 'define') this.#defined.set(JSON.parse(pipeline), this.#until().nodes);
      else nodes.push({ type: 'action', pipeline: action });
    }
    return { nodes, end: undefined };
  }

  #block(type: 'if' | 'with' | 'range', first: string): Node {
    const branches: Branch[] = [];
    for (let pipeline: string | undefined = first; ; ) {
      const { nodes, end } = this.#until();
      branches.push({ pipeline, body: nodes });
      if (end === undefined) throw new Error(`${type} ${first} has no end`);
      if (end === 'end') return { type, branches };
      pipeline = /^else if (.*)$/.exec(end)?.[1];
    }
  }
}

class Renderer {
  readonly #defined: ReadonlyMap<string, readonly Node[]>;

  constructor(defined: ReadonlyMap<string, readonly Node[]>) {
    this.#defined = defined;
  }

  nodes(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#node(node, scope)).join('');
  }

  #node(node: Node, scope: Scope): string {
    if (node.type === 'text') return node.text;
    if (node.type === 'action') return print(this.#pipeline(node.pipeline, scope));
    for (const { pipeline, body } of node.branches) {
      const value = pipeline === undefined ? true : this.#pipeline(pipeline, scope);
      if (isEmpty(value)) continue;
      if (node.type === 'if' || pipeline === undefined) return this.nodes(body, scope);
      if (node.type === 'with') return this.nodes(body, { ...scope, dot: value });
      return (value as readonly unknown[]).map((dot) => this.nodes(body, { ...scope, dot })).join('');
    }
    return '';
  }

  #pipeline(text: string, scope: Scope): unknown {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
    const { value, rest } = this.#read(tokens, scope);
    if (rest.length > 0) throw new Error(`cannot read ${rest.join(' ')} of ${text}`);
    return value;
  }

  #read(tokens: readonly string[], scope: Scope): { readonly value: unknown; readonly rest: readonly string[] } {
    let rest = tokens;
    let piped: readonly unknown[] = [];
    for (;;) {
      const [head, ...more] = rest;
      const args: unknown[] = [];
      rest = isName(head) ? more : rest;
      while (rest.length > 0 && rest[0] !== '|' && rest[0] !== ')') {
        const operand = this.#operand(rest, scope);
        args.push(operand.value);
        rest = operand.rest;
      }
      const all = [...args, ...piped];
      const value = isName(head) ? this.#call(head, all) : all[0];
      if (rest[0] !== '|') return { value, rest };
      rest = rest.slice(1);
      piped = [value];
    }
  }

  #operand(
    [head = '', ...rest]: readonly string[],
    scope: Scope,
  ): { readonly value: unknown; readonly rest: readonly string[] } {
    if (head === '(') {
      const inner = this.#read(rest, scope);
      return { value: inner.value, rest: inner.rest.slice(1) };
    }
    if (head.startsWith('"')) return { value: JSON.parse(head), rest };
    if (/^-?\d+$/.test(head)) return { value: Number(head), rest };
    const [, root, path] = /^(\$?)\.?(.*)$/.exec(head) ?? [];
    if (!/^[$.]/.test(head)) throw new Error(`cannot read ${head}`);
    const value = (path ?? '')
      .split('.')
      .filter(Boolean)
      .reduce<unknown>(
        (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
        root ? scope.root : scope.dot,
      );
    return { value, rest };
  }

  #call(name: string, args: readonly unknown[]): unknown {
    const [a, b, c] = args;
    switch (name) {
      case 'include':
        return this.nodes(this.#template(String(a)), { dot: b, root: b });
      case 'not':
        return isEmpty(a);
      case 'ne':
        return a !== b;
      case 'toString':
        return String(a);
      case 'and':
        return args.find(isEmpty) ?? args.at(-1);
      case 'or':
        return args.find((each) => !isEmpty(each)) ?? args.at(-1);
      case 'default':
        return isEmpty(b) ? a : b;
      case 'quote':
        return JSON.stringify(String(a));
      case 'contains':
        return String(b).includes(String(a));
      case 'trunc':
        return String(b).slice(0, Number(a));
      case 'trimSuffix':
        return String(b).endsWith(String(a)) ? String(b).slice(0, -String(a).length) : b;
      case 'replace':
        return String(c).replaceAll(String(a), String(b));
      case 'printf':
        return args.slice(1).reduce<string>((text, each) => text.replace('%s', () => String(each)), String(a));
      case 'toYaml':
        return formatYaml(a).trimEnd();
      case 'nindent':
        return `\n${String(b)
          .split('\n')
          .map((line) => `${' '.repeat(Number(a))}${line}`)
          .join('\n')}`;
      default:
        throw new Error(`there is no function ${name} here`);
    }
  }

  #template(name: string): readonly Node[] {
    const found = this.#defined.get(name);
    if (!found) throw new Error(`there is no template ${name}`);
    return found;
  }
}

function isName(token: string | undefined): token is string {
  return token !== undefined && /^[a-zA-Z]\w*$/.test(token);
}

/** Reports whether Go treats a value as false. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function print(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
