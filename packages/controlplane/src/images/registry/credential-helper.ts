import { execFile } from 'node:child_process';
import type { Credential } from './credential.ts';
import { RegistryError } from './registry-error.ts';

/** Time limit of a helper, in milliseconds. It may have to wait until the user unlocks a keychain. */
const timeout = 60_000;
const maxOutputBytes = 64 * 1024;
/** The username that helpers return with a refresh token. */
const tokenUser = '<token>';

/**
 * Gets the credential for a registry from one of docker's helper programs: `docker-credential-NAME get`, with the registry on its
 * input. Returns undefined if the helper has none.
 *
 * @param options - `server`: the registry as docker names it: `gcr.io`, `https://index.docker.io/v1/`.
 * @throws RegistryError if the helper is not installed, fails or runs for more than a minute; the signal's reason if it is
 * aborted.
 */
export async function helperCredential(
  helper: string,
  options: {
    readonly server: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
  },
): Promise<Credential | undefined> {
  const { server, env, signal } = options;
  const program = `docker-credential-${helper}`;
  const failure = (why: string): RegistryError =>
    new RegistryError({ what: `cannot get the credentials for ${server} from ${program}`, why });
  // The name must not contain a path.
  if (!/^[\w.-]+$/.test(helper)) throw failure('the name of the credential helper is invalid');
  const { error, stdout } = await run(program, { input: server, env, signal });
  signal.throwIfAborted();
  if (error?.code === 'ENOENT') throw failure('the program is not on the PATH');
  if (error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') throw failure('the output of the program is too long');
  if (error?.killed) throw failure('the program did not respond within a minute');
  // Helpers print errors to their standard output. All helpers print this text for a registry without stored credentials.
  if (error && stdout.startsWith('credentials not found')) return undefined;
  if (error) throw failure(messageIn(stdout) ?? `the program ended with ${error.signal ?? `exit code ${error.code}`}`);
  const { Username: username, Secret: secret } = parse(stdout);
  if (typeof username !== 'string' || typeof secret !== 'string') throw failure('the output of the program is invalid');
  if (username === tokenUser) return { type: 'identityToken', token: secret };
  return { type: 'password', username, password: secret };
}

/** Returns the first line of an error; undefined if the output may be a credential. */
function messageIn(stdout: string): string | undefined {
  return stdout.includes('{') ? undefined : stdout.trim().split('\n')[0] || undefined;
}

interface Ending {
  readonly error: {
    readonly code?: string | number | null | undefined;
    readonly killed?: boolean | undefined;
    readonly signal?: NodeJS.Signals | undefined;
  } | null;
  readonly stdout: string;
}

function run(
  program: string,
  options: {
    readonly input: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
  },
): Promise<Ending> {
  const { input, env, signal } = options;
  return new Promise((resolve) => {
    const settings = { env: { ...env }, signal, timeout, killSignal: 'SIGKILL', maxBuffer: maxOutputBytes } as const;
    const child = execFile(program, ['get'], settings, (error, stdout) => resolve({ error, stdout }));
    // A helper may exit without reading its input.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function parse(text: string): { readonly Username?: unknown; readonly Secret?: unknown } {
  try {
    return (JSON.parse(text) as { readonly Username?: unknown } | null) ?? {};
  } catch {
    // The parser's message quotes the text, which contains a password.
    return {};
  }
}
