// Prints the test runner's own counts as the last line of .ci/run: "N passed, M failed, K skipped".
// The failures are printed above the counts. A skipped test or a failed step of .ci/run makes the run fail.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [reportPath, failedSteps] = process.argv.slice(2);
let report = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] };
try {
  report = JSON.parse(readFileSync(reportPath, 'utf8'));
} catch (error) {
  console.log(`cannot read the test report: ${error.message}`);
}
const brokenFiles = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
const failed = report.numFailedTests + brokenFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
for (const line of failures()) console.log(line);
if (Number(failedSteps) > 0) console.log(`${failedSteps} step(s) failed, see above`);
if (failed > 0 || skipped > 0 || Number(failedSteps) > 0) process.exitCode = 1;
console.log(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);

/** Yields all failures again, because the middle of a long log is often cut off. */
function* failures() {
  for (const file of report.testResults) {
    const name = relative(process.cwd(), file.name);
    if (brokenFiles.includes(file)) yield `FAIL ${name}\n${file.message}`;
    for (const test of file.assertionResults) {
      if (test.status === 'failed')
        yield `FAIL ${name} > ${test.fullName}\n${test.failureMessages.join('\n').split('\n', 30).join('\n')}`;
    }
  }
}
