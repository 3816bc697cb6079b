import type { CliEnvironment } from '../program/cli-environment.ts';
import type { ProjectFile } from '../project/write-files.ts';

const usual = 'https://registry.npmjs.org/';

/**
 * The `.npmrc` of a project that was created with another registry than npm's own: later commands in other terminals use the
 * same one. npm tells programs that it runs of a registry that was set by flag or by variable; one in the user's own `.npmrc`
 * needs no copy.
 */
export function npmrcFiles(env: CliEnvironment['env']): readonly ProjectFile[] {
  const registry = plainAddress(env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'] ?? usual);
  if (registry === undefined || registry === usual) return [];
  return [{ path: '.npmrc', text: npmrc(registry) }];
}

/** Nothing but scheme, host and path: a password has no place in a project, and `${…}` would be replaced by npm. */
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
