import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dockerfile } from '../../packages/cli/src/build/operator-image.ts';
import { scaffolded } from '../docs/scaffold.ts';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

// Not covered: how GitHub, a registry and Renovate process these files.

/** Returns a GitHub expression for a path. */
const expression = (path: string): string => `\${{ ${path} }}`;

describe('the release workflow of a project', () => {
  const text = scaffolded('.github/workflows/release.yml');
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = jobs['release']?.steps ?? [];
  const using = (action: string): Step => {
    const found = steps.filter(({ uses = '' }) => uses.startsWith(`${action}@`));
    expect(found.length, action).toBe(1);
    return found[0] as Step; // just counted
  };
  const at = (step: Step): number => steps.indexOf(step);

  it('builds for both architectures, with an SBOM and provenance', () => {
    const push = using('docker/build-push-action');
    expect(push.with).toMatchObject({ context: 'dist', push: true, sbom: true, provenance: 'mode=max' });
    expect(push.with?.['platforms']).toBe('linux/amd64,linux/arm64');
    const built = steps.findIndex(({ run = '' }) => run.startsWith('npm run build'));
    expect(built).toBeGreaterThan(-1);
    expect(built).toBeLessThan(at(push));
  });

  it('signs provenance and SBOM of exactly the image that it pushed, keyless', () => {
    const push = using('docker/build-push-action');
    const subject = {
      'subject-name': expression('steps.image.outputs.name'),
      'subject-digest': expression(`steps.${push.id}.outputs.digest`),
      'push-to-registry': true,
    };
    expect(using('actions/attest-build-provenance').with).toEqual(subject);
    expect(using('actions/attest-sbom').with).toEqual({ ...subject, 'sbom-path': 'dist/sbom.cdx.json' });
    for (const action of ['actions/attest-build-provenance', 'actions/attest-sbom'])
      expect(at(using(action))).toBeGreaterThan(at(push));
    // The subject's name must not contain a tag, because the digest identifies the image.
    expect(push.with?.['tags']).toBe(`${expression('steps.image.outputs.name')}:${expression('github.ref_name')}`);
    expect(permissions).toEqual({
      contents: 'read',
      packages: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
  });

  it('puts no untrusted input into a shell line', () => {
    const lines = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(lines.filter((line) => line.includes('${{'))).toEqual([]);
  });

  it('refers only to existing step outputs', () => {
    const ids = steps.flatMap(({ id }) => id ?? []);
    const named = [...text.matchAll(/steps\.(\w+)\.outputs/g)].map(([, id = '']) => id);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("the image's Dockerfile", () => {
  const instructions = dockerfile
    .trim()
    .split('\n')
    .map((line) => line.split(/ (.*)/s) as [string, string]);
  const of = (name: string): readonly string[] => instructions.flatMap(([each, rest]) => (each === name ? [rest] : []));

  it('uses instructions that need no shell, in an order that every builder accepts', () => {
    const known = ['FROM', 'WORKDIR', 'COPY', 'USER', 'ENV', 'ENTRYPOINT'];
    expect(instructions.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([]);
    expect(instructions[0]?.[0]).toBe('FROM');
    expect(of('FROM')).toHaveLength(1);
    // Not `latest`, which changes over time.
    expect(of('FROM')[0]).toMatch(/^[\w.-]+(\/[\w.-]+)+:(?!latest)[\w.-]+$/);
  });

  it('starts one program by its path, as a numeric user', () => {
    const [entry = ''] = of('ENTRYPOINT');
    const command = JSON.parse(entry) as readonly string[];
    expect(command.map((word) => word.startsWith('/'))).toEqual([true, true]);
    const [folder] = of('WORKDIR');
    expect(command[1]).toBe(`${folder}/main.mjs`);
    // runAsNonRoot requires a numeric user.
    expect(of('USER')).toEqual(['65532:65532']);
    expect(of('COPY')).toEqual(['main.mjs main.mjs.map ./']);
  });
});

describe('the preset for Renovate', () => {
  type Types = Readonly<Record<string, readonly string[]>>;
  /** Options and presets of Renovate 44, from the schema in its package. */
  const known = JSON.parse(readFileSync(new URL('testdata/renovate-options.json', import.meta.url), 'utf8')) as {
    readonly presets: readonly string[];
    readonly options: Types;
    readonly rules: Types;
  };
  const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

  function faultsOf(config: Readonly<Record<string, unknown>>, types: Types = known.options): readonly string[] {
    return Object.entries(config).flatMap(([name, value]) => {
      if (name === '$schema') return [];
      const allowed = types[name];
      if (!allowed) return [`there is no option ${name}`];
      if (!allowed.includes(typeOf(value))) return [`${name} is no ${typeOf(value)}`];
      if (name === 'extends')
        return (value as readonly string[])
          .filter((each) => !known.presets.includes(each))
          .map((e) => `no preset ${e}`);
      if (name !== 'packageRules') return [];
      const inRules = { ...known.options, ...known.rules };
      return (value as readonly Readonly<Record<string, unknown>>[]).flatMap((rule) => faultsOf(rule, inRules));
    });
  }
  const config = JSON.parse(scaffolded('renovate.json')) as Readonly<Record<string, unknown>>;

  it('uses only options, types and presets that Renovate knows', () => {
    expect(faultsOf(config)).toEqual([]);
    // Proves that the check detects mistakes.
    expect(faultsOf({ extends: ['config:recomended'], packageRule: [], packageRules: [{ groupNames: 'x' }] })).toEqual([
      'no preset config:recomended',
      'there is no option packageRule',
      'there is no option groupNames',
    ]);
    expect(faultsOf({ packageRules: { groupName: 'x' } })).toEqual(['packageRules is no object']);
  });

  it('groups the packages of Kubewright, and keeps pinned actions current', () => {
    expect(config['extends']).toContain('helpers:pinGitHubActionDigests');
    expect(config['packageRules']).toEqual([
      expect.objectContaining({ matchPackageNames: ['kubewright', '@kubewright/*'], groupName: 'kubewright' }),
    ]);
  });
});
