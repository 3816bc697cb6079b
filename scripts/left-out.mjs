// Chooses the tests that a run skips. A vitest reporter lists them with the reason at the end of every run.
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** True if all tests run, as in `.ci/run`; otherwise slow tests are skipped. */
const all = process.env.KUBEWRIGHT_REQUIRE_ALL === '1';
const onReal = process.env.USE_EXISTING_CLUSTER === 'true';
const isProof = process.env.KUBEWRIGHT_PROOF === '1';

/** Patterns of the test files that the run skips. */
export const leftOut = [
  ...(all ? [] : ['**/*.long.test.ts']),
  ...(onReal ? [] : ['**/*.real.test.ts']),
  ...(isProof ? [] : ['**/*.proof.test.ts']),
];

/** Lists skipped files and tests with the reason and the command that runs them. */
export class LeftOutReporter {
  #isFiltered = false;

  onInit({ config }) {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules) {
    const files = ['examples', 'packages', 'test'].flatMap(testsIn).sort();
    const of = (ending) => files.filter((file) => file.endsWith(ending));
    if (!all)
      list(of('.long.test.ts'), 'files skipped because they take long; to run them: KUBEWRIGHT_REQUIRE_ALL=1 npm test');
    if (!onReal)
      list(of('.real.test.ts'), 'files skipped because they need a real control plane; to run them: npm run proof');
    if (!isProof)
      list(of('.proof.test.ts'), 'files skipped because they need a quiet machine; to run them: npm run proof');
    const skipped = modules.flatMap((module) => {
      const tests = [...module.children.allTests('skipped')];
      const text = tests.length > 0 ? readFileSync(module.moduleId, 'utf8') : '';
      return tests.map((test) => ({ name: test.fullName, reason: reasonOf({ note: test.result().note, text }) }));
    });
    // With a name filter, the user excluded these tests deliberately.
    if (this.#isFiltered) return;
    for (const reason of new Set(skipped.map((each) => each.reason))) {
      list(
        skipped.filter((each) => each.reason === reason).map(({ name }) => name),
        `tests skipped: ${reason}`,
      );
    }
  }
}

/** Returns why a test was skipped: its own note, a missing program, or the condition in its file. */
export function reasonOf({ note, text, isInstalled = isOnPath }) {
  if (note) return note;
  const missing = [...text.matchAll(/\bisMissing\('([^']+)'\)/g)].map(([, name]) => name);
  const programs = [...new Set(missing)].filter((name) => !isInstalled(name));
  if (programs.length > 0) return `${programs.join(' and ')} not installed`;
  const conditions = [...text.matchAll(/\.(?:skipIf|runIf)\(((?:[^()]|\([^()]*\))*)\)/g)].map(([whole]) =>
    whole.slice(1),
  );
  return conditions.length > 0 ? [...new Set(conditions)].join(', ') : 'marked as skipped in its file';
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}

function list(names, what) {
  if (names.length === 0) return;
  process.stdout.write(`\n${names.length} ${what}:\n${names.map((name) => `  ${name}\n`).join('')}`);
}

/** Returns the test files in a folder of the repository, without those of installed packages. */
function testsIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : testsIn(path);
    return path.endsWith('.test.ts') ? [path] : [];
  });
}
