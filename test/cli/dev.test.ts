import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine, type Started } from './command-line.ts';

// Compiler, bundler, cluster and operator start in each of them.
vi.setConfig({ testTimeout: 180_000 });

let kubewright: CommandLine;
let root: string;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  await kubewright.run(['init', 'shop', '--yes']);
  root = join(kubewright.folder, 'shop');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

const seen = (dev: Started, text: string | RegExp) => expect.poll(dev.stdout, { timeout: 60_000 }).toMatch(text);
const controller = () => join(root, 'src/controllers/shop.ts');
const api = () => join(root, 'src/api/v1/shop.ts');

/** Changes a file; answers what puts it back. */
function edit(path: string, from: string, to: string): () => void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  return () => writeFileSync(path, text);
}

describe.skipIf(isMissing('script'))('kubewright dev at a terminal', () => {
  it('does what keys ask for, tells reconciles as stories and errors with their code, and leaves the terminal as it was', async () => {
    // Its own session: what the terminal is like afterwards is asked in it.
    const dev = kubewright.startAtTerminal(['dev'], { cwd: root, after: 'stty -a | grep -o -- "-\\?icanon"' });
    await seen(dev, 'a apply sample · r restart · t run tests · q quit');
    await seen(dev, 'controller shop works');
    dev.child.stdin?.write('a');
    await seen(dev, /✓ sample applied {7}Shop shop-sample/);
    await seen(
      dev,
      /▶ Shop default\/shop-sample {2}because Shop default\/shop-sample was created\r?\n +\+ ConfigMap shop-sample-message .*\r?\n +✓ [\d.]+ ms/,
    );
    await seen(dev, /~ its status/);
    const back = edit(controller(), 'data: { message: spec.message },', 'data: { message: spec.nothing.at(1) },');
    await seen(dev, /✓ operator restarted {3}\d+ ms/);
    await seen(
      dev,
      /✗ Shop default\/shop-sample {2}because .*was there at the start\r?\n +TypeError: Cannot read properties of undefined \(reading 'at'\)\r?\n +src\/controllers\/shop\.ts:\d+:\d+\r?\n +\d+ \| .*\r?\n +\d+ \| .*spec\.nothing\.at\(1\).*\r?\n +\| +\^\r?\n/,
    );
    await seen(dev, /… \d+ frames of libraries; --full-stacks shows them\r?\n +next try in \d+ ms/);
    await seen(
      dev,
      /! types are wrong {6}in one place\r?\n +src\/controllers\/shop\.ts:\d+:\d+ TS2339 .*\r?\n +\d+ \| /,
    );
    back();
    await seen(dev, /types are right {6}again/);
    await seen(dev, /works|nothing to write/);
    dev.child.stdin?.write('t');
    await seen(dev, /✓ tests pass/);
    dev.child.stdin?.write('r');
    await expect.poll(() => dev.stdout().split('operator restarted').length, { timeout: 60_000 }).toBeGreaterThan(3);
    dev.child.stdin?.write('q');
    await seen(dev, /✓ stopped\r?\n/);
    await seen(dev, /\bexit 0\r?\n/);
    expect(dev.stdout()).toMatch(/(^|\s)icanon/);
  });
});

describe('kubewright dev', () => {
  it('says what a changed kind means, and which samples do not fit it any more', async () => {
    const dev = kubewright.start(['dev', '--no-type-check'], { cwd: root });
    await seen(dev, 'controller shop works');
    const more = '@minLength 1 @maxLength 1024 */\n  readonly message: string;';
    const back = edit(
      api(),
      more,
      `@minLength 1 @maxLength 3 */\n  readonly message: string;\n  readonly theme?: 'light' | 'dark';`,
    );
    await seen(dev, /! kind, breaking +spec\.message .*\n/);
    await seen(dev, /✓ kind +spec\.theme .*\n/);
    await seen(dev, /! sample does not fit {2}config\/samples\/shop_v1_shop\.yaml: spec\.message: .*\n/);
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    back();
  });

  it('shows the place of an error that ends the operator', async () => {
    const back = edit(join(root, 'src/main.ts'), 'process.exitCode', "JSON.parse('{');\nprocess.exitCode");
    const dev = kubewright.start(['dev', '--no-type-check'], { cwd: root });
    await expect.poll(dev.stderr, { timeout: 60_000 }).toContain('KW7502 the operator ended by itself');
    expect(dev.stdout()).toMatch(
      /SyntaxError: .*\n {4}src\/main\.ts:\d+:\d+\n {6}\d+ \|.*\n(.*\n)*? {6}\d+ \| JSON\.parse\('\{'\);\n/,
    );
    expect(dev.stdout()).not.toContain('node:internal');
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    back();
  });
});
