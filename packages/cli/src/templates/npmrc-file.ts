import type { CliEnvironment } from '../program/cli-environment.ts';
import type { ProjectFile } from '../project/write-files.ts';

const usual = 'https://registry.npmjs.org/';

/**
 * Returns the `.npmrc` of a project that was created with a registry other than npm's, so that later commands in other terminals
 * use the same registry. npm passes a registry that was set by a flag or a variable to the programs it runs; a registry in the
 * user's own `.npmrc` need not be copied.
 */
export function npmrcFiles(env: CliEnvironment['env']): readonly ProjectFile[] {
  const registry = plainAddress(env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'] ?? usual);
  if (registry === undefined || registry === usual) return [];
  return [{ path: '.npmrc', text: npmrc(registry) }];
}

/** Keeps only scheme, host and path: a password must not end up in a project, and npm would expand `${…}`. */
function plainAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname } = new URL(text);
  const isPlain = /^https?:$/.test(protocol) && /^[\w/.~%-]*$/.test(pathname);
  return isPlain ? `${protocol}//${host}${pathname}` : undefined;
}

function npmrc(registry: string): string {
  return `# This project was created from this registry instead of the default npm registry.
# Delete this file once the default registry has all packages.
registry=${registry}
`;
}
