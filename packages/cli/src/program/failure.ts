import { KubewrightError, StatusError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';
import { ConfigError, TransportError } from '@kubewright/client';
import { CommanderError } from 'commander';
import { deniedCall } from '../permissions/denied-call.ts';
import { CliError, type CliErrorCode, type Message } from './cli-error.ts';
import { portOwner } from './port-owner.ts';
import { systemFailure } from './system-failure.ts';
import { webhookFailure } from './webhook-failure.ts';

/** The text of an error with its code for `kubewright explain`. */
export interface CoreMessage extends ErrorText {
  readonly code: string;
  readonly remedy: string;
}

/** The message and exit code of a failed command. */
export interface Failure {
  readonly message: CoreMessage;
  /** 1: fixable by the user; 2: invalid command line; 3: environment. */
  readonly exitCode: 1 | 2 | 3;
}

const usage: readonly CliErrorCode[] = ['KW7001', 'KW7102', 'KW7103'];
const environmentCodes: readonly CliErrorCode[] = [
  'KW7010',
  'KW7011',
  'KW7202',
  'KW7203',
  'KW7301',
  'KW7303',
  'KW7309',
  'KW7310',
];
/** Errors of the embedded cluster that are caused by its environment: ports, folders, addresses. */
const environmental = /^KW(5101|5102|5502|52\d\d|3006)$/;

/** Status reasons for failures on the server, which the request did not cause. */
const serverSide: ReadonlySet<string> = new Set([
  'TooManyRequests',
  'Timeout',
  'ServerTimeout',
  'ServiceUnavailable',
  'InternalError',
]);

/** Inputs other than the error that a message depends on. */
interface FailureOptions {
  /** Shows the stack of an unexpected error. */
  readonly debug: boolean;
  /** The command that failed, with the program's name. @defaultValue the program's name */
  readonly command?: string;
}

/** Returns the message and the exit code for any error. */
export function failureOf(error: unknown, options: FailureOptions): Failure {
  if (error instanceof CliError) return ofCode(error.code, error.text);
  if (error instanceof CommanderError) return ofCode('KW7001', usageText(error, options.command ?? 'kubewright'));
  if (error instanceof ConfigError) return { message: configMessage(error), exitCode: 3 };
  if (error instanceof TransportError) return ofCode('KW7301', transportText(error, options.command));
  if (error instanceof StatusError) return statusFailure(error);
  if (error instanceof KubewrightError) return codedFailure(error, options);
  const system = systemFailure(error) ?? (error instanceof Error ? systemFailure(error.cause) : undefined);
  if (system) return ofCode('KW7011', system);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ofCode('KW7002', {
    what: 'internal error',
    why: options.debug ? stack : error instanceof Error ? error.message : String(error),
    remedy: 'rerun with KUBEWRIGHT_DEBUG=1 to get a stack trace, and report the error',
  });
}

function ofCode(code: CliErrorCode, text: Message): Failure {
  return { message: { ...text, code }, exitCode: usage.includes(code) ? 2 : environmentCodes.includes(code) ? 3 : 1 };
}

/** Converts errors from our other packages. They have the same fields as a `CliError`. */
function codedFailure(error: KubewrightError, options: FailureOptions): Failure {
  const { code, what, why, remedy = `run kubewright explain ${code} to learn more` } = error;
  if (error.cause instanceof StatusError || error.cause instanceof TransportError) {
    const { message, exitCode } = failureOf(error.cause, options);
    const own = error.remedy === undefined ? {} : { code, remedy: error.remedy };
    return { message: { ...message, what, ...own }, exitCode };
  }
  const message = withPortOwner({ code, what, why, remedy }, error);
  return { message, exitCode: environmental.test(code) ? 3 : 1 };
}

/** Adds the process that uses a busy port, if the system reveals it. */
function withPortOwner(message: CoreMessage, error: Error): CoreMessage {
  const isBusy = error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE';
  if (!isBusy || !('port' in error) || typeof error.port !== 'number') return message;
  const owner = portOwner(error.port);
  return owner ? { ...message, why: `${message.why ?? 'in use'}: pid ${owner.pid}, ${owner.command}` } : message;
}

function usageText(error: CommanderError, command: string): Message {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  // A command group was called without a subcommand.
  const isIncomplete = error.code === 'commander.help';
  return {
    what: 'invalid command line',
    why: isIncomplete ? `${command} needs a subcommand` : [first, ...rest].join(' ').trim(),
    remedy: `run ${command} --help`,
  };
}

function configMessage({ code, what, why, remedy }: ConfigError): CoreMessage {
  const usual =
    code === 'KW2203'
      ? 'log in again with the tool that created the kubeconfig, then retry'
      : 'set KUBECONFIG, pass --kubeconfig FILE, or start a cluster: kubewright cluster up';
  return { code, what, why, remedy: remedy ?? usual };
}

function transportText(error: TransportError, command = ''): Message {
  const remedy = 'check that the cluster is running and that the kubeconfig contains its address';
  const isDoctor = /\bdoctor$/.test(command);
  return {
    what: 'cannot reach the API server',
    why: error.why === undefined ? error.what : `${error.what}: ${error.why}`,
    remedy: isDoctor ? remedy : `${remedy}: kubewright doctor`,
  };
}

/** Returns the failure for an error response of the API server. */
function statusFailure(error: StatusError): Failure {
  const { details, message = '' } = error.status;
  if (error.httpStatus === 401) {
    return ofCode('KW7303', {
      what: 'authentication failed',
      why: message || 'the credentials are missing, wrong or expired',
      remedy: 'log in again with the tool that created the kubeconfig, then retry',
    });
  }
  if (error.reason === 'Forbidden') {
    return ofCode('KW7304', { what: 'permission denied', why: message, remedy: missingRule(message) });
  }
  const webhook = webhookFailure(message);
  if (webhook) return ofCode('KW7310', webhook);
  const causes = (details?.causes ?? []).map(({ field, message: text }) => `${field ?? ''}: ${text ?? ''}`);
  return ofCode('KW7306', {
    what: `the API server rejected the request (${error.reason || `HTTP ${error.httpStatus}`})`,
    why: causes.length > 1 ? causes.join('\n') : message,
    remedy: remedyOf(error, causes.length > 0),
  });
}

function remedyOf({ reason, status: { details } }: StatusError, hasFields: boolean): string {
  if (reason === 'NotFound') return missingRemedy(details);
  if (reason === 'Conflict') return 'retry: the object has changed in the meantime';
  if (serverSide.has(reason)) return "retry in a moment; if the error persists, check the API server's log";
  return hasFields ? 'fix the fields listed above, then retry' : 'fix the problem described above, then retry';
}

/** Returns the remedy for a missing object. The details of the status contain its name and kind. */
function missingRemedy({ name, group, kind }: NonNullable<StatusError['status']['details']> = {}): string {
  // Without a name, the path is unknown to the server.
  if (!name || !kind) return 'check that the cluster serves the kind: kubectl api-resources';
  if (kind === 'namespaces') return `create the namespace, or choose another one: kubectl create namespace ${name}`;
  const resource = group ? `${kind}.${group}` : kind;
  return `create ${resource} "${name}", or correct the name or the namespace; list existing objects: kubectl get ${resource} --all-namespaces`;
}

/** Returns the rule that would allow the denied request, as YAML to paste into a Role or ClusterRole. */
function missingRule(message: string): string {
  const denied = deniedCall(message);
  if (!denied) return 'ask a cluster administrator for the permission';
  const { user, permission } = denied;
  return [
    `grant ${user} this rule:`,
    `- apiGroups: [${JSON.stringify(permission.group)}]`,
    `  resources: [${JSON.stringify(permission.resource)}]`,
    `  verbs: [${JSON.stringify(permission.verb)}]`,
  ].join('\n');
}
