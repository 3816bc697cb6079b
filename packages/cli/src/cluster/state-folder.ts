import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterProcess } from '@kubewright/controlplane/internal';
import { CliError } from '../program/cli-error.ts';
import { findProject } from '../project/find-project.ts';

const namedClusters = 'clusters';

/** The flag that selects one of a folder's clusters. */
export interface ClusterName {
  /** @defaultValue the folder's own cluster */
  readonly name?: string | undefined;
}

/** The record that a running cluster writes about itself. */
export interface ClusterNote {
  readonly pid: number;
  readonly url: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

/**
 * The state of a cluster, in the folder `.kubewright` of a project or any other folder. Besides its own cluster, a folder can have
 * named clusters, in `.kubewright/clusters/NAME`.
 */
export class StateFolder {
  /** The file that describes the user's own images. */
  readonly imageFile: string;
  readonly path: string;
  readonly base: string;
  readonly name: string | undefined;

  constructor(cwd: string, name?: string) {
    this.base = findProject(cwd)?.root ?? cwd;
    this.name = name;
    const own = join(this.base, '.kubewright');
    this.path = name === undefined ? own : join(own, namedClusters, name);
    this.imageFile = join(this.base, 'kubewright-images.json');
  }

  /** Returns the existing state folders: that of the folder's own cluster first, then those of named clusters in order. */
  static all(cwd: string): readonly StateFolder[] {
    const own = new StateFolder(cwd);
    const clusters = join(own.path, namedClusters);
    const names = existsSync(clusters) ? readdirSync(clusters).sort() : [];
    const hasOwn = existsSync(join(own.path, 'certificates')) || own.pid !== undefined;
    return [...(hasOwn ? [own] : []), ...names.map((name) => new StateFolder(cwd, name))];
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  get logFile(): string {
    return join(this.path, 'cluster.log');
  }

  /** The process that holds the folder's lock, or `undefined` if the folder is not locked. */
  get pid(): number | undefined {
    return clusterProcess(this.path);
  }

  /** The record of the running cluster; `undefined` while the cluster starts or if none is running. */
  get running(): ClusterNote | undefined {
    const { pid } = this;
    if (pid === undefined) return undefined;
    try {
      const note = JSON.parse(readFileSync(join(this.path, 'cluster.json'), 'utf8')) as ClusterNote;
      // A record with another pid was left behind by a crash.
      return note.pid === pid ? note : undefined;
    } catch {
      // Not written yet.
      return undefined;
    }
  }

  /** @throws CliError KW7201 if no cluster is running in this folder. */
  requireRunning(): ClusterNote {
    const { running } = this;
    if (running) return running;
    throw new CliError('KW7201', {
      what:
        this.name === undefined
          ? 'no embedded cluster is running in this folder'
          : `no embedded cluster ${this.name} is running in this folder`,
      why: `no running cluster has locked the state folder ${this.path}`,
      remedy: `start a cluster: kubewright cluster up --background${this.name === undefined ? '' : ` --name ${this.name}`}`,
    });
  }

  /** Creates the folder, accessible only to the user. */
  make(): void {
    const own = join(this.base, '.kubewright');
    const folders = this.name === undefined ? [own] : [own, join(own, namedClusters), this.path];
    // Not recursive: on a read-only file system, Node reports ENOENT for recursive calls.
    for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // Keeps the state of named clusters out of git; the folder's own cluster has its own .gitignore.
    if (this.name !== undefined) writeFileSync(join(own, '.gitignore'), '*\n', { mode: 0o600 });
  }

  /** Records where the cluster is running. */
  note(note: ClusterNote): void {
    writeFileSync(join(this.path, 'cluster.json'), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  }

  /** Removes the state, except that of named clusters. */
  remove(): void {
    if (!existsSync(this.path)) return;
    for (const entry of readdirSync(this.path)) {
      if (entry !== namedClusters) rmSync(join(this.path, entry), { recursive: true, force: true });
    }
    if (readdirSync(this.path).length === 0) rmSync(this.path, { recursive: true });
  }

  forget(): void {
    rmSync(join(this.path, 'cluster.json'), { force: true });
  }
}
