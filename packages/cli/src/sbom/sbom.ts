import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import type { Metafile } from 'esbuild';

/** The input for a bill of materials. */
export interface SbomInput {
  /** Folder that the bundler's paths are relative to. */
  readonly root: string;
  /** The bundler's record of the bundle's contents. */
  readonly metafile: Metafile;
  /** The built package. */
  readonly subject: Package;
  /** This program. */
  readonly tool: Package;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

interface Component extends Package {
  readonly folder: string;
}

/**
 * Lists the packages in the operator's bundle as CycloneDX 1.5: those that contribute at least one byte, not all installed packages.
 * The output is deterministic: it contains no time, and the serial number is derived from the content.
 */
export function sbom({ root, metafile, subject, tool }: SbomInput): string {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const found = new Map<string, Component>();
  for (const path of used) {
    const component = packageOf(resolve(root, path));
    // The project itself is the subject, not a component.
    if (component && component.folder !== resolve(root)) found.set(purl(component), component);
  }
  const components = [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => component(each));
  const reference = purl(subject);
  const content = {
    metadata: {
      tools: { components: [{ type: 'application', name: tool.name, version: tool.version }] },
      component: { ...component(subject), type: 'application' },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: components.map((each) => each['bom-ref']) }],
  };
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function component({ name, version, license }: Package) {
  const [, group, own = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const reference = purl({ name, version });
  return {
    type: 'library',
    'bom-ref': reference,
    ...defined({ group }),
    name: own,
    version,
    purl: reference,
    ...(license !== undefined && { licenses: [licenseOf(license)] }),
  };
}

/** Returns an SPDX id as `id`, `MIT OR Apache-2.0` as an expression, and anything else as a name. */
function licenseOf(text: string): object {
  if (/^[A-Za-z0-9.+-]+$/.test(text) && !/^(UNLICENSED|SEE)$/.test(text)) return { license: { id: text } };
  if (/\b(OR|AND|WITH)\b/.test(text)) return { expression: text };
  return { license: { name: text } };
}

/** Returns a package URL, in which the @ of a scope is escaped. */
function purl({ name, version }: Pick<Package, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Returns the package of a file, from the nearest package.json with a name and a version. */
function packageOf(file: string): Component | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = readPackage(folder);
    if (found || folder === dirname(folder)) return found;
  }
}

function readPackage(folder: string): Component | undefined {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return undefined;
  const { name, version, license } = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
  // Packages add minimal package.json files to subfolders to set the module type.
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { folder, name, version, ...(typeof license === 'string' && { license }) };
}

/** Returns a UUID of version 8, derived from a digest. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
