/** The settings with which an operator's image is built from `dist/`. */
interface OperatorImage {
  /** A distroless image: it has no shell and no package manager. */
  readonly base: string;
  readonly files: readonly string[];
  readonly folder: string;
  /** A numeric user lets `runAsNonRoot` verify that the user is not root. */
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  /** The arguments of Node.js. */
  readonly args: readonly string[];
}

/**
 * The image of an operator. Nothing is written at run time, so the root file system can be read-only. The bundle runs
 * on every architecture, so building for another architecture needs no emulation.
 */
export const operatorImage: OperatorImage = {
  base: 'gcr.io/distroless/nodejs22-debian12:nonroot',
  files: ['main.mjs', 'main.mjs.map'],
  folder: '/app',
  user: '65532:65532',
  env: { NODE_ENV: 'production', NODE_OPTIONS: '--enable-source-maps' },
  args: ['/app/main.mjs'],
};

/** The Dockerfile for `dist/`. */
export const dockerfile: string = dockerfileOf(operatorImage);

function dockerfileOf({ base, files, folder, user, env, args }: OperatorImage): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return `FROM ${base}
WORKDIR ${folder}
COPY ${files.join(' ')} ./
USER ${user}
ENV ${variables.join(' ')}
ENTRYPOINT [${['/nodejs/bin/node', ...args].map((word) => JSON.stringify(word)).join(', ')}]
`;
}
