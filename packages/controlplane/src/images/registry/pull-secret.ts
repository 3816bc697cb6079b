import { Buffer } from 'node:buffer';
import type { Credential } from './credential.ts';
import { type DockerConfig, parseDockerConfig, parseDockercfg } from './docker-config.ts';

/** The parts of a Secret with credentials for registries. */
export interface PullSecret {
  readonly name: string;
  /** `kubernetes.io/dockerconfigjson` or `kubernetes.io/dockercfg`; Secrets of other types are ignored, as in the kubelet. */
  readonly type: string | undefined;
  /** Base64-encoded values by key, as in the Secret. */
  readonly data: Readonly<Record<string, string>>;
}

/** Returns the credentials in Secrets. @throws RegistryError if one is malformed */
export function secretCredentials(secrets: readonly PullSecret[]): readonly (readonly [string, Credential])[] {
  return secrets.flatMap((secret) => [...(configOf(secret)?.credentials ?? [])]);
}

function configOf({ name, type, data }: PullSecret): DockerConfig | undefined {
  const text = (key: string): string | undefined => {
    const value = data[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
  };
  const config = type === 'kubernetes.io/dockerconfigjson' ? text('.dockerconfigjson') : undefined;
  if (config !== undefined) return parseDockerConfig(config, `the Secret ${name}`);
  const legacy = type === 'kubernetes.io/dockercfg' ? text('.dockercfg') : undefined;
  return legacy === undefined ? undefined : parseDockercfg(legacy, `the Secret ${name}`);
}
