import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts the programs that a control plane needs to become ready, and waits until it reports ready. */
export async function boot(side, place) {
  const started = performance.now();
  const children = side.boot(place);
  try {
    for (;;) {
      const gone = children.find((child) => child.exitCode !== null);
      if (gone)
        throw new Error(
          `${gone.spawnfile} exited with code ${gone.exitCode} during startup; see its log in ${place.folder}`,
        );
      if (await isReady(place.port)) break;
      if (performance.now() - started > 60_000) throw new Error(`${side.name} was not ready after 60 s`);
      await sleep(2);
    }
  } catch (error) {
    await stop(children);
    throw error;
  }
  return { children, readyMs: performance.now() - started };
}

/** Stops programs, the newest first: an API server hangs once its store is gone. */
export async function stop(children) {
  for (const child of [...children].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(patience);
  }
}

function isReady(port) {
  return new Promise((resolve) => {
    const sent = request(
      `https://127.0.0.1:${port}/readyz`,
      { agent: false, rejectUnauthorized: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    sent.on('error', () => resolve(false));
    sent.end();
  });
}
