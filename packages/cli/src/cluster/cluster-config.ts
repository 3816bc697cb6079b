import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nearestName } from '@kubewright/apimachinery/internal';
import { parse } from 'yaml';
import { CliError } from '../program/cli-error.ts';
import { isClusterName } from './cluster-name.ts';
import type { UpOptions } from './up.ts';

/** Converts a setting to the value of its option, or returns a description of the error. */
type Check = (value: unknown, folder: string) => { readonly value: unknown } | { readonly fault: string };

const flag: Check = (value) => (typeof value === 'boolean' ? { value } : { fault: 'must be true or false' });
const path: Check = (value, folder) =>
  typeof value === 'string' && value !== '' ? { value: resolve(folder, value) } : { fault: 'must be a path' };
const number =
  (low: number, high: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= low && Number(value) <= high
      ? { value }
      : { fault: `must be a number from ${low} to ${high}` };
const oneOf =
  (...names: readonly string[]): Check =>
  (value) =>
    names.includes(value as string)
      ? { value }
      : { fault: `must be ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}` };
const list: Check = (value) => {
  const names = Array.isArray(value) ? value : [value];
  return names.every((name) => typeof name === 'string')
    ? { value: names.join(',') }
    : { fault: 'must be a list of strings' };
};

/** The fields of a configuration file, which are the flags of `cluster up` in camel case. */
const fields: Readonly<Record<keyof UpOptions, Check>> = {
  name: (value) =>
    typeof value === 'string' && isClusterName(value)
      ? { value }
      : { fault: 'must consist of lower-case letters, digits and dashes' },
  background: flag,
  port: number(0, 65_535),
  data: path,
  nodes: number(1, 100),
  driver: oneOf('process', 'container', 'simulated'),
  network: oneOf('loopback', 'isolated'),
  kubeconfig: path,
  components: list,
  etcdServers: list,
  allowRootPods: flag,
  allowHostPrograms: flag,
  allowHostPath: flag,
  auditPolicyFile: path,
  auditLogPath: path,
};

/**
 * Reads a configuration file of `cluster up`. Paths are relative to the file. @throws CliError KW7205 if it is invalid
 */
export function readClusterConfig(file: string, cwd: string): UpOptions {
  const absolute = resolve(cwd, file);
  return clusterConfig(readText(absolute), absolute);
}

/** Returns the settings in the text of a configuration file. @throws CliError KW7205 if it is invalid */
export function clusterConfig(text: string, file: string): UpOptions {
  const config = parsed(text, file);
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    const check = Object.hasOwn(fields, name) ? fields[name as keyof UpOptions] : undefined;
    if (!check) {
      const meant = nearestName(name, Object.keys(fields));
      throw invalid(file, `unknown field ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
    }
    const result = check(value, dirname(file));
    if ('fault' in result)
      throw invalid(file, `${name} ${result.fault}, got ${JSON.stringify(value)}`, `fix the field ${name}`);
    settings[name] = result.value;
  }
  return settings; // each value is checked
}

function parsed(text: string, file: string): object {
  let config: unknown;
  try {
    config = parse(text);
  } catch (cause) {
    throw invalid(file, `invalid YAML: ${(cause as Error).message}`, 'fix the YAML syntax');
  }
  if (config === null || config === undefined) return {};
  if (typeof config === 'object' && !Array.isArray(config)) return config;
  throw invalid(file, 'the file must contain a map of settings');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(file, (cause as Error).message, 'specify a file that exists and is readable');
  }
}

function invalid(
  file: string,
  why: string,
  remedy: string = `use only the fields ${Object.keys(fields).join(', ')}`,
): CliError {
  return new CliError('KW7205', { what: `cannot use the cluster configuration ${file}`, why, remedy });
}
