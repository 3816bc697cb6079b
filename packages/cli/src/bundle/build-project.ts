import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { installObjects } from '../deploy/deploy.ts';
import type { Context } from '../program/context.ts';
import { requireProject } from '../project/find-project.ts';
import { generateProject } from '../project/generate-project.ts';
import { bundleOperator } from './bundle-operator.ts';

/** Flags of `build`. */
export interface BuildOptions {
  readonly image?: string;
  readonly load?: string;
}

// Fully qualified, without a shell, as the user 65532.
const dockerfile = `FROM gcr.io/distroless/nodejs22-debian12:nonroot
WORKDIR /app
COPY main.mjs main.mjs.map ./
USER 65532:65532
ENV NODE_OPTIONS=--enable-source-maps
ENTRYPOINT ["/nodejs/bin/node", "/app/main.mjs"]
`;

/** Writes `dist/`: what an image is built of, and what installs it. */
export async function buildProject(context: Context, { image, load }: BuildOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  const { root } = project;
  const dist = join(root, 'dist');
  await generateProject(project, context);
  mkdirSync(dist, { recursive: true });
  await bundleOperator({ root, entry: join(root, 'src', 'main.ts'), outfile: join(dist, 'main.mjs') });
  writeFileSync(join(dist, 'Dockerfile'), dockerfile);
  const documents = installObjects(project, image ?? load).map((object) => `---\n${stringify(object)}`);
  writeFileSync(join(dist, 'install.yaml'), documents.join(''));
  const kilobytes = Math.ceil(statSync(join(dist, 'main.mjs')).size / 1024);
  reporter.step('bundled', `dist/main.mjs (${kilobytes} kB)`);
  reporter.step('written', 'dist/Dockerfile: docker build dist');
  reporter.step('written', 'dist/install.yaml');
  if (load === undefined) return;
  const file = join(root, 'kubewright-images.json');
  const images: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  // The node takes the same program for every tag.
  const repository = load.replace(/[@:][^/]*$/, '');
  const entry = { like: 'node', folder: './dist', command: ['node', '--enable-source-maps', './dist/main.mjs'] };
  writeFileSync(file, `${JSON.stringify({ ...(images as object), [repository]: entry }, null, 2)}\n`, { mode: 0o644 });
  reporter.step('loaded', `${load}: kubewright deploy --image ${load}`);
}
