import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterProcess } from '@kubewright/controlplane/internal';
import { CliError } from '../program/cli-error.ts';
import { findProject } from '../project/find-project.ts';

/** The record that a running cluster keeps of itself. */
export interface ClusterNote {
  readonly pid: number;
  readonly url: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

/** The folder `.kubewright` of a project or of any other folder; each has at most one cluster. */
export class StateFolder {
  /** The file that describes the user's own images. */
  readonly imageFile: string;
  readonly path: string;
  readonly base: string;

  constructor(cwd: string) {
    this.base = findProject(cwd)?.root ?? cwd;
    this.path = join(this.base, '.kubewright');
    this.imageFile = join(this.base, 'kubewright-images.json');
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  get logFile(): string {
    return join(this.path, 'cluster.log');
  }

  /** The process whose cluster locks the folder. */
  get pid(): number | undefined {
    return clusterProcess(this.path);
  }

  /** The record of the running cluster; `undefined` while it starts and if none is running. */
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

  /** @throws CliError KW7201 if no cluster runs here. */
  requireRunning(): ClusterNote {
    const { running } = this;
    if (running) return running;
    throw new CliError('KW7201', {
      what: 'no embedded cluster is running in this folder',
      why: `no process holds the lock on ${this.path}`,
      remedy: 'start one: kubewright cluster up --background',
    });
  }

  /** Creates the folder, accessible only to the user. */
  make(): void {
    // Not recursive: on a read-only file system, Node reports ENOENT for recursive calls.
    if (!existsSync(this.path)) mkdirSync(this.path, { mode: 0o700 });
  }

  /** Records where the cluster is running. */
  note(note: ClusterNote): void {
    writeFileSync(join(this.path, 'cluster.json'), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  }

  forget(): void {
    rmSync(join(this.path, 'cluster.json'), { force: true });
  }
}
