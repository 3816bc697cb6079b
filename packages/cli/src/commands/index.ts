import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import { addBuild } from './build.ts';
import { addCluster } from './cluster.ts';
import { addCompletion } from './completion.ts';
import { addCreate } from './create.ts';
import { addDeploy } from './deploy.ts';
import { addDev } from './dev.ts';
import { addDoctor } from './doctor.ts';
import { addExplain } from './explain.ts';
import { addGenerate } from './generate.ts';
import { addImages } from './images.ts';
import { addImport } from './import.ts';
import { addInit } from './init.ts';
import { addInstall } from './install.ts';
import { addRbac } from './rbac.ts';
import { addRender } from './render.ts';
import { addRun } from './run.ts';
import { addTest } from './test.ts';
import { addTrace } from './trace.ts';
import { addUndeploy } from './undeploy.ts';
import { addUninstall } from './uninstall.ts';
import { addUpgrade } from './upgrade.ts';
import { addVersion } from './version.ts';

/** All commands, in the order of the help. */
const commands = [
  addInit,
  addCreate,
  addGenerate,
  addDev,
  addRun,
  addBuild,
  addTest,
  addRender,
  addRbac,
  addImport,
  addInstall,
  addUninstall,
  addDeploy,
  addUndeploy,
  addCluster,
  addImages,
  addTrace,
  addDoctor,
  addExplain,
  addCompletion,
  addUpgrade,
  addVersion,
];

/** Adds all commands to a program. */
export function addCommands(program: Command, context: Context): void {
  for (const add of commands) add(program, context);
}
