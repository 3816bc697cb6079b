import { type FieldError, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type { ExecAction, HTTPGetAction, LifecycleHandler, Probe } from '../generated/drafts.ts';
import { type Check, enumOf, fields, nonNegative, required, rule } from '../validation/check.ts';
import { portNumber, portNumberOrName } from '../validation/rules.ts';

type Handlers = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

const handlerTypes = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

const headerName: Check<string> = (name = '', path) =>
  /^[-A-Za-z0-9]+$/.test(name)
    ? []
    : [
        invalidField(
          path,
          name,
          "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
        ),
      ];

const details: Check<Handlers> = fields<Handlers>({
  exec: fields<ExecAction>({ command: required() }),
  httpGet: fields<HTTPGetAction>({
    path: required(),
    port: portNumberOrName,
    scheme: enumOf('HTTP', 'HTTPS'),
    // Upstream omits the index.
    httpHeaders: (list, path) => (list ?? []).flatMap(({ name }) => headerName(name, path)),
  }),
  tcpSocket: fields({ port: portNumberOrName }),
  grpc: fields({ port: portNumber }),
});

/** Requires exactly one handler. */
export const handlers: Check<Handlers> = (value, path) => {
  if (!value) return [];
  const given = handlerTypes.filter((handler) => value[handler]);
  if (given.length === 0) return [requiredField(path, 'must specify a handler type')];
  const [first, ...others] = given;
  const only = details({ [first as string]: value[first as keyof Handlers] } as Handlers, path);
  return [
    ...only,
    ...others.map((handler) => forbiddenField(path.child(handler), 'may not specify more than 1 handler type')),
  ];
};

const numbers: Check<Probe> = fields<Probe>({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
  terminationGracePeriodSeconds: rule((seconds) => seconds > 0, 'must be greater than 0'),
});

const probe: Check<Probe> = (value, path) => (value ? [...handlers(value, path), ...numbers(value, path)] : []);

/** Validates a liveness or startup probe, whose success threshold must be one. */
export const livenessProbe: Check<Probe> = (value, path) => {
  const faults: FieldError[] = [...probe(value, path)];
  if (value && value.successThreshold !== 1) {
    faults.push(invalidField(path.child('successThreshold'), value.successThreshold, 'must be 1'));
  }
  return faults;
};

/** Validates a readiness probe, which cannot set a termination grace period because it never terminates the container. */
export const readinessProbe: Check<Probe> = (value, path) => {
  const seconds = value?.terminationGracePeriodSeconds;
  if (seconds === undefined) return probe(value, path);
  const fault = invalidField(
    path.child('terminationGracePeriodSeconds'),
    seconds,
    'must not be set for readinessProbes',
  );
  return [...probe(value, path), fault];
};
