// Which tests a run leaves out, and a reporter for vitest that says so at its end.
import { readdirSync } from 'node:fs';

/** All tests, as `.ci/run` wants them; otherwise those that take long are left out. */
const all = process.env.KUBEWRIGHT_REQUIRE_ALL === '1';
const onReal = process.env.USE_EXISTING_CLUSTER === 'true';

/** Patterns of files that are left out. */
export const leftOut = [...(all ? [] : ['**/*.long.test.ts']), ...(onReal ? [] : ['**/*.real.test.ts'])];

/** Says what was left out, why, and what runs it. */
export class LeftOutReporter {
  onTestRunEnd(modules) {
    const files = readdirSync('test', { recursive: true }).map((file) => `test/${file}`);
    const long = all ? [] : files.filter((file) => file.endsWith('.long.test.ts')).sort();
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')].map((test) => test.fullName));
    if (long.length > 0) {
      process.stdout.write(
        `\n${long.length} files left out, for they take minutes; KUBEWRIGHT_REQUIRE_ALL=1 npm test runs them:\n${list(long)}`,
      );
    }
    if (skipped.length > 0) {
      process.stdout.write(
        `\n${skipped.length} tests skipped, for a program that they need is missing (kubectl, PostgreSQL, psql, script):\n${list(skipped)}`,
      );
    }
  }
}

function list(names) {
  return names.map((name) => `  ${name}\n`).join('');
}
