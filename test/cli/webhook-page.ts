import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubernetesClient } from '@kubewright/client';
import { defineKind } from '@kubewright/runtime';
import { expect } from 'vitest';
import { repository } from '../main-job/repository.ts';
import type { CommandLine } from './command-line.ts';

const group = 'web.example.com';
interface ShopSpec {
  readonly owner: string;
  readonly size?: number;
}
const Shop = defineKind<ShopSpec>({ group, version: 'v1', kind: 'Shop' });
const OldShop = defineKind<{ readonly what: string }>({ group, version: 'v1beta1', kind: 'Shop' });

/** The code blocks with a file name on the pages about webhooks and versions. */
export const blocks: readonly { readonly path: string; readonly text: string }[] = ['webhooks', 'add-a-version']
  .map((name) => readFileSync(join(repository, `docs/how-to/${name}.md`), 'utf8'))
  .flatMap((page) => [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)])
  .map(([, path = '', text = '']) => ({ path, text }));

/**
 * Creates the project that the page describes: scaffolds it, then replaces files with the files on the page. Returns
 * its path.
 */
export async function webhookProject(kubewright: CommandLine): Promise<string> {
  await kubewright.run(['init', 'shop', '--domain', 'example.com', '--template', 'empty']);
  const root = join(kubewright.folder, 'shop');
  const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });
  const of = (version: string) => ['--group', 'web', '--version', version, '--kind', 'Shop'];
  await run('create', 'api', ...of('v1'), '--no-controller');
  await run('create', 'webhook', ...of('v1'), '--defaulting', '--validation');
  await run('create', 'api', ...of('v1beta1'), '--no-controller');
  await run('create', 'webhook', ...of('v1'), '--conversion');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const { path, text } of blocks) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Returns the API server's error for a write, or an empty string. */
export async function rejection(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A user's access to shops. */
export interface Shops {
  create(name: string, spec: ShopSpec): Promise<{ readonly spec?: unknown }>;
  createOld(name: string, what: string): Promise<{ readonly spec?: unknown }>;
  get(name: string): Promise<{ readonly spec?: unknown }>;
}

/** Returns a user's access to the shops of a cluster. */
export function shopsOf(client: KubernetesClient): Shops {
  const metadata = (name: string) => ({ namespace: 'default', name });
  const create = (name: string, spec: ShopSpec) =>
    client.resource(Shop).create({ apiVersion: `${group}/v1`, kind: 'Shop', metadata: metadata(name), spec });
  const createOld = (name: string, what: string) =>
    client.resource(OldShop).create({
      ...{ apiVersion: `${group}/v1beta1`, kind: 'Shop', metadata: metadata(name) },
      spec: { what },
    });
  const get = (name: string) => client.resource(Shop).get(metadata(name));
  return { create, createOld, get };
}

/** Checks that the webhooks on the page are called: defaulting, validation and conversion. */
export async function expectServed({ create, createOld, get }: Shops, prefix: string): Promise<void> {
  expect((await create(`${prefix}-plain`, { owner: 'ann' })).spec).toEqual({ owner: 'ann', size: 3 });
  expect(await rejection(create(`${prefix}-large`, { owner: 'ann', size: 10 }))).toBe(
    `admission webhook "vshop-v1.kb.io" denied the request: Shop.web.example.com "${prefix}-large" is invalid: spec.size: Invalid value: 10: a shop has room for at most 9`,
  );
  expect((await createOld(`${prefix}-old`, 'bob/4')).spec).toEqual({ what: 'bob/4' });
  expect((await get(`${prefix}-old`)).spec).toEqual({ owner: 'bob', size: 4 });
}
