import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import { type GenerateResult, generate as generateManifests } from '@kubewright/codegen';
import { stringify } from 'yaml';
import { generateProject, withTypeCheck } from '../generate/generate-project.ts';
import type { Generate } from '../generate/manifests.ts';
import { bundleFiles } from '../olm/bundle-files.ts';
import { checkBundle } from '../olm/check-bundle.ts';
import { bundleOperator } from '../operator/bundle-operator.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { version as ownVersion } from '../program/version.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { readPackage } from '../project/package-manifest.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { breaksOf, keepRelease, lastRelease, printBreak } from '../release/released-crds.ts';
import { installObjects, noImage } from '../render/install-objects.ts';
import { sbom } from '../sbom/sbom.ts';
import { loadImage } from './load-image.ts';
import { dockerfile } from './operator-image.ts';
import { type PushFlags, pushImage } from './push-image.ts';
import { type ArtifactOptions, chartInput, otherCertificates, projectChart } from './write-chart.ts';

/** Flags of `build`. */
export interface BuildOptions extends PushFlags {
  readonly image?: string | undefined;
  readonly load?: string | undefined;
  readonly push?: string | undefined;
  readonly helm?: boolean | undefined;
  readonly olm?: boolean | undefined;
  readonly release?: boolean | undefined;
  readonly allowBreaking?: boolean | undefined;
  /** @defaultValue true */
  readonly typeCheck?: boolean | undefined;
}

/**
 * Writes `dist/`: the image contents, the install manifests and the SBOM.
 *
 * @throws CliError KW7507 if there are type errors
 */
export async function buildProject(context: Context, options: BuildOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const image = options.image ?? options.push ?? options.load;
  if (options.olm === true && image === undefined)
    throw noImage(project, { what: 'cannot build the OLM bundle', command: 'build --olm' });
  const manifest = readPackage(project.root);
  const { allowBreaking = false, helm = false, typeCheck = true } = options;
  const generate = generatedOnce(project);
  const files = await withTypeCheck(context, { project, how: typeCheck ? 'assert' : 'skip' }, () =>
    generateProject(project, { ...context, allowBreaking, generate }),
  );
  const release = lastRelease(project.root);
  const breaks = release === undefined ? [] : breaksOf(release, files).map(printBreak);
  for (const each of breaks) reporter.step(`breaks ${release?.version}`, each, 'bad');
  const otherwise = helm ? await otherCertificates(project, { generate, signal: environment.signal }) : undefined;
  const artifact: ArtifactOptions = { project, manifest, image, changes: breaks, otherwise };
  await writeProgram(context, artifact);
  if (helm) {
    replace(
      project,
      'chart',
      projectChart(artifact).map(({ path, text }) => ({ path: `chart/${path}`, text })),
    );
    reporter.step(
      'written',
      `dist/chart: helm install ${project.name} dist/chart -n ${project.name}-system --create-namespace`,
    );
    if (image === undefined)
      reporter.step('no image', 'install the chart with --set manager.image.repository=…,manager.image.tag=…', 'bad');
  }
  if (options.olm === true) {
    writeBundle(project, { artifact, replaces: release?.version });
    reporter.step('written', 'dist/bundle: docker build -f dist/bundle.Dockerfile dist');
  }
  if (options.release === true) {
    keepRelease(project.root, { version: manifest.version, crds: files });
    reporter.step(
      'released',
      `${manifest.version}: commit config/crd/released; later changes of the types are checked against it`,
    );
  }
  if (options.push !== undefined) {
    const pushed = await pushImage(context, { ...options, image: options.push, dist: join(project.root, 'dist') });
    reporter.step('digest', `to deploy exactly this image, run kubewright deploy --image ${pushed}`);
  }
  if (options.load !== undefined) {
    loadImage(project.root, options.load);
    reporter.step('loaded', `${options.load}; to deploy it, run kubewright deploy --image ${options.load}`);
  }
}

/** Returns a function that generates the manifests on its first call and returns the cached result afterwards. */
function generatedOnce({ root, name: projectName }: Project): Generate {
  let made: Promise<GenerateResult> | undefined;
  return ({ signal }) => (made ??= generateManifests({ root, projectName, signal }));
}

async function writeProgram({ reporter }: Context, { project, manifest, image }: ArtifactOptions): Promise<void> {
  const { root, name } = project;
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const { metafile } = await bundleOperator({
    root,
    entry: join(root, 'src', 'main.ts'),
    outfile: join(dist, 'main.mjs'),
  });
  const subject = {
    name,
    version: manifest.version,
    ...defined({ license: manifest.license }),
  };
  const bill = sbom({ root, metafile, subject, tool: { name: 'kubewright', version: ownVersion } });
  const documents = installObjects(project, { image }).map((object) => `---\n${stringify(object)}`);
  writeFileSync(join(dist, 'Dockerfile'), dockerfile);
  writeFileSync(join(dist, 'sbom.cdx.json'), bill);
  writeFileSync(join(dist, 'install.yaml'), documents.join(''));
  const kilobytes = Math.ceil(statSync(join(dist, 'main.mjs')).size / 1024);
  reporter.step('bundled', `dist/main.mjs (${kilobytes} kB)`);
  reporter.step('written', 'dist/sbom.cdx.json');
  reporter.step('written', 'dist/Dockerfile: docker build dist');
  reporter.step('written', 'dist/install.yaml');
}

function writeBundle(
  project: Project,
  { artifact, replaces }: { readonly artifact: ArtifactOptions; readonly replaces: string | undefined },
): void {
  const { version } = artifact.manifest;
  const files = bundleFiles({ ...chartInput(artifact), replaces: replaces === version ? undefined : replaces });
  const faults = checkBundle(files);
  if (faults.length > 0) {
    throw new CliError('KW7505', {
      what: 'the OLM bundle is invalid and was not written',
      why: faults.join('\n'),
      remedy: 'fix package.json, config/samples or the types as described above, then build again',
    });
  }
  replace(project, 'bundle', files);
}

/** Replaces a folder of `dist/` with the given files. */
function replace({ root }: Project, folder: string, files: readonly ProjectFile[]): void {
  rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  for (const { path, text } of files) {
    const target = join(root, 'dist', path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
