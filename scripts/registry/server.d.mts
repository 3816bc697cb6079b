import type { Server } from 'node:http';

/** A version of a package, and its tarball. */
export interface PackageVersion {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly pack: () => Uint8Array;
}

export function createRegistry(options: {
  readonly packages: ReadonlyMap<string, readonly PackageVersion[]>;
  readonly upstream: string | undefined;
}): Server;
