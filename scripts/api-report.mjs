// Writes the exported declarations of each package to docs/api, with a separate file for its `./internal` entry. With
// --check, only reports whether the declarations have changed. This way, every change of the public API appears in a
// file that reviewers read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
/** Silences API Extractor's messages about each declaration; other checks cover our documentation. */
const silent = { default: { logLevel: 'none' } };

const status = await build(() => {});
const changed = status === 0 ? readdirSync(join(root, 'packages')).flatMap(changedReports) : [];
if (changed.length > 0) {
  console.log(
    check
      ? `the public API of ${changed.join(', ')} differs from docs/api\n  why: exports were changed\n  fix: run node scripts/api-report.mjs and commit the updated report with the change`
      : `updated docs/api: ${changed.join(', ')}`,
  );
}
process.exitCode = status !== 0 || (check && changed.length > 0) ? 1 : 0;

/** Returns the names of a package's reports that have changed. */
function changedReports(name) {
  const folder = join(root, 'packages', name);
  const reports = [report(folder, name, 'index')];
  if (existsSync(join(folder, 'src/internal.ts'))) reports.push(report(folder, `${name}-internal`, 'internal'));
  return reports.filter(({ changed }) => changed).map(({ reportFileName }) => reportFileName);
}

/** Writes or checks the report on one entry of a package. */
function report(folder, reportFileName, entry) {
  const configObject = {
    projectFolder: folder,
    mainEntryPointFilePath: join(folder, `dist/${entry}.d.ts`),
    compiler: { overrideTsconfig: tsconfig() },
    apiReport: {
      enabled: true,
      reportFolder: join(root, 'docs/api'),
      reportTempFolder: join(tmpdir(), 'kubewright-api'),
      reportFileName,
      // Option types that are not exported are also part of the contract.
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: { compilerMessageReporting: silent, extractorMessageReporting: silent, tsdocMessageReporting: silent },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: !check,
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  return { reportFileName, changed: apiReportChanged };
}

function tsconfig() {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
  const { customConditions, ...rest } = compilerOptions;
  return { compilerOptions: { ...rest, composite: false, isolatedDeclarations: false, types: ['node'] } };
}
