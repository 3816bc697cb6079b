import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Descriptions in one module of `kubernetes-types`, by type or field: `Pod`, `Pod.spec`. */
type Texts = ReadonlyMap<string, string>;

/**
 * Reads the descriptions of Kubernetes types from the declaration comments of the npm package `kubernetes-types` (1.30);
 * newer types and fields have no description. A module is read on first access to one of its definitions. Without the
 * package, as in a bundle, there are no descriptions.
 */
export class BuiltinDescriptions {
  readonly #modules = new Map<string, Texts>();
  #folder: string | undefined;

  /** Returns the description of a definition (`io.k8s.api.core.v1.Pod`), or of one of its fields. */
  description(definition: string, field?: string): string | undefined {
    const dot = definition.lastIndexOf('.');
    const module = moduleOf(definition.slice(0, dot));
    if (module === undefined) return undefined;
    const name = definition.slice(dot + 1);
    return this.#texts(module).get(field === undefined ? name : `${name}.${field}`);
  }

  #texts(module: string): Texts {
    let texts = this.#modules.get(module);
    if (texts === undefined) {
      texts = this.#read(module);
      this.#modules.set(module, texts);
    }
    return texts;
  }

  #read(module: string): Texts {
    try {
      this.#folder ??= dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'));
      return parseDeclarations(readFileSync(join(this.#folder, `${module}.d.ts`), 'utf8'));
    } catch {
      // The package is not installed, or 1.30 does not have the group.
      return new Map();
    }
  }
}

/**
 * Returns the module that describes a package: `io.k8s.api.core.v1` → `core/v1`. Some packages of apimachinery have
 * other paths.
 */
function moduleOf(packageName: string): string | undefined {
  if (packageName === 'io.k8s.apimachinery.pkg.api.resource') return 'api/resource';
  if (packageName === 'io.k8s.apimachinery.pkg.util.intstr') return 'util/intstr';
  const match = /\.([a-z]+)\.(v\d+[a-z0-9]*)$/.exec(packageName);
  return match === null ? undefined : `${match[1]}/${match[2]}`;
}

/** Parses the generated declarations, in which every comment precedes its declaration on separate lines. */
function parseDeclarations(source: string): Texts {
  const texts = new Map<string, string>();
  const pattern = /\/\*\*([\s\S]*?)\*\/|^export (?:interface|type) (\w+)|^ {4}(?:readonly )?"?([\w$-]+)"?\??:/gm;
  let comment: string | undefined;
  let owner = '';
  for (const [, text, declared, field] of source.matchAll(pattern)) {
    if (text !== undefined) {
      comment = clean(text);
      continue;
    }
    if (declared !== undefined) owner = declared;
    const name = declared ?? `${owner}.${field}`;
    if (comment !== undefined && comment !== '') texts.set(name, comment);
    comment = undefined;
  }
  return texts;
}

function clean(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}
