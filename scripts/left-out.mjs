// Which tests a run leaves out, and a reporter for vitest that lists them with the reason at the end of every run.
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** All tests, as `.ci/run` runs them; otherwise those that take minutes are left out. */
const all = process.env.KUBEWRIGHT_REQUIRE_ALL === '1';
const onReal = process.env.USE_EXISTING_CLUSTER === 'true';

/** Patterns of files that are left out. */
export const leftOut = [...(all ? [] : ['**/*.long.test.ts']), ...(onReal ? [] : ['**/*.real.test.ts'])];

/** Lists what was left out and skipped, why, and what runs it. */
export class LeftOutReporter {
  #isFiltered = false;

  onInit({ config }) {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules) {
    const files = readdirSync('test', { recursive: true })
      .map((file) => `test/${file}`)
      .sort();
    const of = (ending) => files.filter((file) => file.endsWith(ending));
    if (!all)
      tell(of('.long.test.ts'), 'files left out: they take minutes; KUBEWRIGHT_REQUIRE_ALL=1 npm test runs them');
    if (!onReal) tell(of('.real.test.ts'), 'files left out: they need a real control plane; npm run proof runs them');
    const skipped = modules.flatMap((module) => {
      const tests = [...module.children.allTests('skipped')];
      const text = tests.length > 0 ? readFileSync(module.moduleId, 'utf8') : '';
      return tests.map((test) => ({ name: test.fullName, reason: reasonOf({ note: test.result().note, text }) }));
    });
    // Tests excluded by the name filter were left out deliberately.
    if (this.#isFiltered) return;
    for (const reason of new Set(skipped.map((each) => each.reason))) {
      tell(
        skipped.filter((each) => each.reason === reason).map(({ name }) => name),
        `tests skipped: ${reason}`,
      );
    }
  }
}

/** Why a test was skipped: what it said itself, a program that is missing, or the condition in its file. */
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

function tell(names, what) {
  if (names.length === 0) return;
  process.stdout.write(`\n${names.length} ${what}:\n${names.map((name) => `  ${name}\n`).join('')}`);
}
