import { type FieldError, forbiddenField, invalidField } from '@kubewright/apimachinery';
import type { Lifecycle, LifecycleHandler, PodSpec } from '../generated/drafts.ts';
import { type Check, enumOf } from '../validation/check.ts';
import { handlers } from './probe-validation.ts';

const realTime = (from: string, sign: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${from}${sign}${index + 1}`);

const linuxSignals: readonly string[] = [
  ...['ABRT', 'ALRM', 'BUS', 'CHLD', 'CLD', 'CONT', 'FPE', 'HUP', 'ILL', 'INT', 'IO', 'IOT', 'KILL', 'PIPE', 'POLL'],
  ...['PROF', 'PWR', 'QUIT', 'SEGV', 'STKFLT', 'STOP', 'SYS', 'TERM', 'TRAP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'USR1'],
  ...['USR2', 'VTALRM', 'WINCH', 'XCPU', 'XFSZ', 'RTMIN', ...realTime('RTMIN', '+', 15)],
  ...['RTMAX', ...realTime('RTMAX', '-', 14)],
]
  .map((name) => `SIG${name}`)
  .sort();

/** Validates the hooks of a container and its stop signal. */
export function lifecycle(spec: PodSpec): Check<Lifecycle> {
  const hook: Check<LifecycleHandler> = (value, path) => {
    if (!value) return [];
    // If a hook has several handlers, upstream validates only the first.
    const isSleep = value.sleep && !value.exec && !value.httpGet && !value.tcpSocket;
    return [...handlers(value, path), ...(isSleep ? sleepFaults(value.sleep, path.child('sleep')) : [])];
  };
  const sleepFaults: Check<{ seconds: number }> = (sleep, path) => {
    const grace = spec.terminationGracePeriodSeconds;
    const seconds = sleep?.seconds ?? 0;
    if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    return [invalidField(path, seconds, detail)];
  };
  return (value, path) => {
    if (!value) return [];
    const faults: FieldError[] = [
      ...hook(value.postStart, path.child('postStart')),
      ...hook(value.preStop, path.child('preStop')),
    ];
    if (value.stopSignal === undefined) return faults;
    const at = path.child('stopSignal');
    const system = spec.os?.name;
    if (!spec.os) faults.push(forbiddenField(at, 'may not be set for containers with empty `spec.os.name`'));
    else if (system === 'windows') faults.push(...enumOf('SIGKILL', 'SIGTERM')(value.stopSignal, at));
    else if (system === 'linux') faults.push(...enumOf(...linuxSignals)(value.stopSignal, at));
    return faults;
  };
}
