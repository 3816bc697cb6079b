// Prints the test runner's own counts as the last line of .ci/run: "N passed, M failed, K skipped".
// A skipped test or a failed step of .ci/run makes the run fail.
import { readFileSync } from 'node:fs';

const [reportPath, failedSteps] = process.argv.slice(2);
let report = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] };
try {
  report = JSON.parse(readFileSync(reportPath, 'utf8'));
} catch (error) {
  console.log(`cannot read the test report: ${error.message}`);
}
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
).length;
const failed = report.numFailedTests + brokenFiles;
const skipped = report.numPendingTests + report.numTodoTests;
if (Number(failedSteps) > 0) console.log(`${failedSteps} step(s) failed, see above`);
if (failed > 0 || skipped > 0 || Number(failedSteps) > 0) process.exitCode = 1;
console.log(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
