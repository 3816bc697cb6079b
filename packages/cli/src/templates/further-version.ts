import { posix } from 'node:path';
import { versionedName } from '../project/names.ts';

/** The input of {@link furtherVersion}. */
export interface FurtherVersion {
  /** The file of the version to start from, and its path relative to `src`. */
  readonly source: { readonly text: string; readonly file: string };
  /** The constant in that file that holds the kind. */
  readonly variable: string;
  readonly version: string;
  /** Path of the new file, relative to `src`. */
  readonly target: string;
}

/** Matches a string, a comment, or a name that does not follow a dot. */
const token =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![.\w$])[A-Za-z_$][\w$]*/g;

/**
 * Returns the types of a new version of a kind: a copy of another version's types under new names, so that each version
 * can change independently. The new version is not the stored version. Returns undefined if the file holds more than
 * one kind, or its definition cannot be read.
 */
export function furtherVersion({ source, variable, version, target }: FurtherVersion): string | undefined {
  if ((source.text.match(/\bdefineKind\s*</g) ?? []).length !== 1) return undefined;
  const definition = /defineKind\s*<[^;]*?>\(\{[^;]*?\}\s*\)/.exec(source.text)?.[0];
  const changed = definition && unstored(definition, version);
  if (changed === undefined || changed === definition) return undefined;
  const text = source.text.replace(definition ?? '', () => changed);
  const folder = posix.dirname(source.file);
  const declared = new RegExp(`\\b(?:interface|type|const|enum|class)\\s+(${variable}\\w*)`, 'g');
  const names = new Set([...text.matchAll(declared)].map(([, name = '']) => name));
  const renamed = text.replace(token, (word) =>
    names.has(word) ? `${versionedName(variable, version)}${word.slice(variable.length)}` : word,
  );
  return renamed.replace(
    /(\bfrom\s+|\bimport\()(['"])(\.[^'"]*)\2/g,
    (_, before: string, quote: string, path: string) => {
      const moved = posix.relative(posix.dirname(target), posix.join(folder, path));
      return `${before}${quote}${moved.startsWith('.') ? moved : `./${moved}`}${quote}`;
    },
  );
}

/** Returns the definition with `storage: false`. */
function unstored(definition: string, version: string): string | undefined {
  const found = /([\s{,])version:(\s*)(['"])[^'"]*\3/.exec(definition);
  if (!found) return undefined;
  const [whole, before = '', space = ''] = found;
  const named = definition.replace(whole, () => `${before}version:${space}'${version}'`);
  if (/[\s{,]storage:\s*(?:true|false)/.test(named))
    return named.replace(/([\s{,]storage:\s*)(?:true|false)/, '$1false');
  const line = /\n([ \t]*)kind:\s*['"][^'"]*['"],?/.exec(named);
  if (line) return named.replace(line[0], () => `${line[0].replace(/,?$/, ',')}\n${line[1]}storage: false,`);
  return named.replace(/(version:\s*'[^']*')/, '$1, storage: false');
}

/** Returns a sample of another version as a separate object of this version. */
export function furtherSample(sample: string, { from, to }: { readonly from: string; readonly to: string }): string {
  const group = (version: string): RegExp => new RegExp(`^(apiVersion:\\s*["']?[a-z0-9.-]+/)${version}\\b`, 'gm');
  return sample
    .replace(group(from), `$1${to}`)
    .replace(new RegExp(`(\\$schema=\\S*)_${from}\\.json`, 'g'), `$1_${to}.json`)
    .replace(/^(metadata:\n(?:[ \t]+.*\n)*?[ \t]+name:[ \t]*)([a-z0-9.-]+)/gm, `$1$2-${to}`);
}
