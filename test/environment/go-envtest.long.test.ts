import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLine } from '../cli/command-line.ts';
import { isMissing } from '../main-job/user-shell.ts';

const run = promisify(execFile);
/** A project that kubebuilder scaffolded, with controller-runtime 0.25. */
const project = join(import.meta.dirname, 'testdata/go-operator');

describe.skipIf(isMissing('go'))("a Go operator's tests with envtest", () => {
  let kubewright: CommandLine;
  let assets: string;
  beforeAll(async () => {
    kubewright = await CommandLine.build();
    const env = { XDG_CACHE_HOME: join(kubewright.folder, 'cache') };
    assets = (await kubewright.run(['cluster', 'assets'], { env })).stdout.trim();
    // Compile first, so that the durations of the tests do not include compilation.
    await run('go', ['vet', './...'], { cwd: project });
  }, 900_000);
  afterAll(() => kubewright?.[Symbol.dispose]());

  async function specs(components: string): Promise<string> {
    const env = { ...process.env, KUBEBUILDER_ASSETS: assets, KUBEWRIGHT_COMPONENTS: components };
    const args = ['test', './internal/controller/', '-count=1', '-v', '-ginkgo.v', '-ginkgo.no-color'];
    // If the suite fails, the error contains its output.
    const { stdout } = await run('go', args, { cwd: project, env, maxBuffer: 16_000_000 });
    return /^SUCCESS! -- (.*)$/m.exec(stdout)?.[1] ?? stdout;
  }

  it('pass on the API server alone', async () => {
    expect(await specs('')).toBe('3 Passed | 0 Failed | 0 Pending | 1 Skipped');
  }, 600_000);

  it('see owned objects collected and namespaces deleted if their controllers run', async () => {
    expect(await specs('namespace-controller,garbage-collector-controller')).toBe(
      '4 Passed | 0 Failed | 0 Pending | 0 Skipped',
    );
  }, 600_000);
});
