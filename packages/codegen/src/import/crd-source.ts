import { defined, pluralOf } from '@kubewright/apimachinery/internal';
import type { JsonSchema } from '@kubewright/schema';
import type { Crd, CrdVersion } from '../crd/crd.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import { quantityPattern } from '../types/known-schemas.ts';
import { ImportError } from './import-error.ts';
import { isReadAlike, isWritableEnum, schemaComment } from './schema-comment.ts';
import { literal, propertyName, type TypeNames, typeName } from './type-name.ts';

const ofEveryObject: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Name of the enclosing type. */
  readonly base: string;
  readonly path: string;
}

interface SourceOptions {
  readonly version: CrdVersion;
  readonly as: 'kind' | 'definition';
  /** The identifier of the kind. */
  readonly name: string;
  /** The identifiers of all kinds in the file. */
  readonly names: TypeNames;
}

/** Generates the TypeScript source of one version of a kind. */
export class CrdSource {
  readonly imports: Set<string> = new Set();
  readonly #name: string;
  readonly #all: TypeNames;
  readonly #as: 'kind' | 'definition';
  readonly #crd: Crd;
  readonly #version: CrdVersion;
  readonly #interfaces: string[] = [];
  readonly #names = new Set<string>();
  readonly #rest: Record<string, unknown> = {};

  constructor(crd: Crd, { version, as, name, names }: SourceOptions) {
    this.#as = as;
    this.#crd = crd;
    this.#version = version;
    this.#name = name;
    this.#all = names;
  }

  write(): string {
    const { kind } = this.#crd.spec.names;
    const root = this.#version.schema?.openAPIV3Schema ?? {};
    this.#names.add(this.#name);
    const fields = Object.entries(root.properties ?? {}).filter(([name]) => !ofEveryObject.has(name));
    const others = fields.filter(([name]) => name !== 'spec' && name !== 'status').map(([name]) => name);
    if (this.#as === 'kind') return this.#kind(root, fields);
    if (others.length > 0) {
      const what = `${kind} has fields other than spec and status: ${others.join(', ')}`;
      throw new ImportError(what, 'import the CRD as a kind instead of a definition: --as kind');
    }
    return this.#call(root);
  }

  /** Generates an interface and a constant with the same name. */
  #kind(root: JsonSchema, fields: readonly (readonly [string, JsonSchema])[]): string {
    const { group, names, scope } = this.#crd.spec;
    const { kind, plural } = names;
    const version = this.#version.name;
    for (const name of ['Kind', 'KubernetesObject']) this.imports.add(name);
    const lines = fields.map(([name, schema]) => this.#property(root, { name, schema, base: this.#name, path: name }));
    const { lines: words } = schemaComment({
      ...defined({ description: root.description }),
    });
    const type = `  readonly apiVersion: ${literal(`${group}/${version}`)};\n  readonly kind: ${literal(kind)};\n`;
    const own = `${block(words, '')}export interface ${this.#name} extends KubernetesObject {\n${type}${lines.join('')}}\n`;
    const value = Object.entries({ group, version, kind, plural, scope }).map(
      ([name, each]) => `  ${name}: ${literal(each)},\n`,
    );
    const constant = `export const ${this.#name}: Kind<${this.#name}> = {\n${value.join('')}};\n`;
    return [...this.#interfaces, own, constant].join('\n');
  }

  #call(root: JsonSchema): string {
    const kind = this.#name;
    for (const name of ['ObjectOf', 'defineKind']) this.imports.add(name);
    const part = (name: 'spec' | 'status'): string | undefined => {
      const schema = root.properties?.[name];
      return schema && this.#type(schema, { name: `${kind}${typeName(name)}`, path: name });
    };
    const [spec = 'unknown', status] = [part('spec'), part('status')];
    const comment = schemaComment(root);
    if (Object.keys(comment.rest).length > 0) this.#rest[''] = comment.rest;
    const types = status === undefined ? spec : `${spec}, ${status}`;
    const fields = Object.entries(this.#definition()).map(([name, value]) => `  ${name}: ${literal(value)},\n`);
    const constant = `export const ${kind} = defineKind<${types}>({\n${fields.join('')}});\n`;
    const alias = `export type ${kind} = ObjectOf<typeof ${kind}>;\n`;
    return [...this.#interfaces, `${block(comment.lines, '')}${constant}${alias}`].join('\n');
  }

  #definition(): Readonly<Record<string, unknown>> {
    const { group, names, scope } = this.#crd.spec;
    const { name: version, additionalPrinterColumns: columns, subresources, selectableFields } = this.#version;
    const { deprecated, deprecationWarning } = this.#version;
    return {
      group,
      version,
      kind: names.kind,
      ...(names.plural !== pluralOf(names.kind) && { plural: names.plural }),
      ...(names.singular !== undefined && names.singular !== names.kind.toLowerCase() && { singular: names.singular }),
      ...(scope === 'Cluster' && { scope }),
      ...defined({ shortNames: names.shortNames, categories: names.categories, columns, scale: subresources?.scale }),
      ...(selectableFields && { selectableFields: selectableFields.map(({ jsonPath }) => jsonPath) }),
      ...(deprecated === true && { deprecated }),
      ...defined({ deprecationWarning }),
      ...(Object.keys(this.#rest).length > 0 && { schema: this.#rest }),
    };
  }

  #type(schema: JsonSchema, at: { readonly name: string; readonly path: string }): string {
    const type = this.#plainType(schema, at);
    return schema.nullable === true && schema.enum?.includes(null) !== false ? `${type} | null` : type;
  }

  #plainType(schema: JsonSchema, at: { readonly name: string; readonly path: string }): string {
    if (schema['x-kubernetes-int-or-string'] === true) {
      if (schema.pattern === quantityPattern) return 'string';
      this.imports.add('IntOrString');
      return 'IntOrString';
    }
    const values = schema.nullable === true ? schema.enum?.filter((each) => each !== null) : schema.enum;
    if (values !== undefined && isWritableEnum(values)) return values.map(literal).join(' | ');
    switch (schema.type) {
      case 'string':
      case 'boolean':
        return schema.type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array': {
        const items = this.#element(itemsOf(schema) ?? {}, { name: `${at.name}Item`, path: `${at.path}[]` });
        return `readonly ${items.includes(' ') ? `(${items})` : items}[]`;
      }
      case 'object':
        return this.#object(schema, at);
      default:
        return 'unknown';
    }
  }

  /** Returns the type of a list's elements. If the elements need a comment, declares an alias to carry it. */
  #element(schema: JsonSchema, at: { readonly name: string; readonly path: string }): string {
    const type = this.#type(schema, at);
    if (this.#names.has(type.replace(/ \| null$/, ''))) return type;
    const { lines, rest } = schemaComment(schema);
    if (Object.keys(rest).length > 0) this.#rest[at.path] = rest;
    if (lines.length === 0) return type;
    const name = this.#unused(at.name);
    this.#interfaces.push(`${block(lines, '')}export type ${name} = ${type};\n`);
    return name;
  }

  #object(schema: JsonSchema, at: { readonly name: string; readonly path: string }): string {
    const values = additionalOf(schema);
    if (values !== undefined) {
      const type = this.#element(values, { name: `${at.name}Value`, path: `${at.path}{}` });
      return `Readonly<Record<string, ${type}>>`;
    }
    if (schema.additionalProperties === true) return 'Readonly<Record<string, unknown>>';
    const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (schema.properties === undefined && keeps) {
      if (schema['x-kubernetes-embedded-resource'] !== true) return 'unknown';
      this.imports.add('KubernetesObject');
      return 'KubernetesObject';
    }
    return this.#interface(schema, at);
  }

  #interface(schema: JsonSchema, at: { readonly name: string; readonly path: string }): string {
    const name = this.#unused(at.name);
    const fields = Object.entries(schema.properties ?? {}).map(([field, child]) =>
      this.#property(schema, { name: field, schema: child, base: at.name, path: `${at.path}.${field}` }),
    );
    this.#interfaces.push(`${this.#comment(schema, at.path, '')}export interface ${name} {\n${fields.join('')}}\n`);
    return name;
  }

  #property(owner: JsonSchema, { name, schema, base, path }: Property): string {
    const before = this.#names.size;
    const type = this.#type(schema, { name: `${base}${typeName(name)}`, path });
    // The type is the interface that was just declared, which already has the comment.
    const isNamed = this.#names.size > before && this.#names.has(type.replace(/ \| null$/, ''));
    const mark = owner.required?.includes(name) ? '' : '?';
    return `${isNamed ? '' : this.#comment(schema, path, '  ')}  readonly ${propertyName(name)}${mark}: ${type};\n`;
  }

  #comment(schema: JsonSchema, path: string, indent: string): string {
    const { lines, rest } = schemaComment(schema);
    if (Object.keys(rest).length > 0) this.#rest[path] = rest;
    return block(lines, indent);
  }

  #unused(name: string): string {
    const unused = this.#all.take(name);
    this.#names.add(unused);
    return unused;
  }
}

function block(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return '';
  // Puts the description and tags on one line if they fit. Rules always get a separate line.
  const whole = lines.join(' ');
  const isShort = whole.length + indent.length < 110 && lines.slice(1).every((line) => /^@(?!rule|message)/.test(line));
  const short = `/** ${whole} */`;
  const long = `/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */`;
  return `${indent}${isShort && isReadAlike(short, long) ? short : long}\n`;
}
