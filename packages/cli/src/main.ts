#!/usr/bin/env node
// Nothing is imported before the version check, so the check also runs on outdated versions of Node.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const supported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
if (supported && process.argv[2] === 'asset') {
  // envtest waits for this server to start, so it does not load any other command.
  const { runAsset } = await import('./envtest/run-asset.ts');
  process.exit(await runAsset(process.argv[3] ?? ''));
} else if (supported) {
  const { runCli } = await import('./run-cli.ts');
  const { cliEnvironment } = await import('./program/process-environment.ts');
  const exitCode = await runCli(cliEnvironment());
  // The user's code must not keep the process alive; pending output is written first.
  const { drain } = await import('./program/process-environment.ts');
  await drain();
  process.exit(exitCode);
} else {
  const code = 'KW7010';
  const what = `Kubewright does not run on Node.js ${process.version}`;
  const why = 'Kubewright requires Node.js ^20.19, ^22.12 or >=24';
  const remedy = 'install a newer version of Node.js from https://nodejs.org';
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: { code, what, why, remedy } })}\n`);
  else process.stderr.write(`${code} ${what}\n  why: ${why}\n  fix: ${remedy}\n`);
  process.exitCode = 3;
}
