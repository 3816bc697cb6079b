import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * The codes of the errors that the command line itself reports.
 *
 * | code | meaning |
 * |---|---|
 * | `KW7001` | the command line is invalid; add `--help` to any command to list its arguments and flags |
 * | `KW7002` | internal error: a bug in Kubewright; report it with the stack trace that `KUBEWRIGHT_DEBUG=1` shows |
 * | `KW7003` | the error code does not exist |
 * | `KW7010` | Node.js is too old: Kubewright requires ^20.19, ^22.12 or >=24 |
 * | `KW7011` | a file or folder cannot be used: access is denied, no space is left, or the name is too long; or TMPDIR is not a writable folder |
 * | `KW7101` | the folder is not in a Kubewright project: neither the folder nor its parents have a package.json with a field `kubewright` |
 * | `KW7102` | a name or a field of package.json is invalid |
 * | `KW7103` | a required value is missing, and there is no terminal to prompt on |
 * | `KW7104` | the command would overwrite a file that you wrote; the file was not changed |
 * | `KW7105` | the project does not have this kind, or has no other version of the kind to convert to |
 * | `KW7201` | no embedded cluster is running in this folder |
 * | `KW7202` | the embedded cluster did not start in the background; check its log |
 * | `KW7203` | the embedded cluster did not stop in time |
 * | `KW7204` | the file is the kubeconfig of another cluster; the file was not changed |
 * | `KW7205` | the configuration file of a cluster cannot be read or has an invalid field |
 * | `KW7206` | the Service cannot be exposed: the Service or its port does not exist, or the local port is in use |
 * | `KW7301` | the API server cannot be reached |
 * | `KW7303` | authentication failed: credentials are missing, wrong or expired |
 * | `KW7304` | the request is forbidden; the message contains the missing RBAC rule |
 * | `KW7305` | the API server does not serve the kind: its CRD is not installed |
 * | `KW7306` | the API server rejected a request: the object is invalid, does not exist, or was changed in the meantime |
 * | `KW7307` | deployed objects did not reach the expected state in time |
 * | `KW7308` | the cluster of the context is not local; pass `--allow-context` to use the cluster |
 * | `KW7309` | the API server cannot reach the webhooks of the operator under development; set the address of the webhooks with `--webhook-host` |
 * | `KW7310` | a webhook cannot be called: writes that require the webhook are rejected until its operator runs |
 * | `KW7401` | the types have errors; nothing was written |
 * | `KW7402` | generated files are out of date |
 * | `KW7403` | the types would break stored objects, manifests or clients of the released version |
 * | `KW7404` | this version has already been released with different CRDs |
 * | `KW7501` | the operator cannot be bundled |
 * | `KW7502` | the operator exited unexpectedly |
 * | `KW7503` | no image was specified |
 * | `KW7601` | the CRD to import cannot be read: no such file, URL or CRD, or it is too large |
 * | `KW7602` | the project has no test runner, or its tests fail |
 * | `KW7603` | the operator did not reconcile the object to render |
 * | `KW7604` | the roles grant fewer or more permissions than the operator needs |
 * | `KW7605` | the operator's log is not in the runtime's format |
 * | `KW7504` | a kustomization uses an unsupported feature |
 * | `KW7505` | the OLM bundle violates a rule |
 * | `KW7506` | the image map `kubewright-images.json` is invalid, so images cannot be loaded |
 * | `KW7507` | the types of the project have errors |
 */
export type CliErrorCode =
  | 'KW7001'
  | 'KW7002'
  | 'KW7003'
  | 'KW7010'
  | 'KW7011'
  | 'KW7101'
  | 'KW7102'
  | 'KW7103'
  | 'KW7104'
  | 'KW7105'
  | 'KW7201'
  | 'KW7202'
  | 'KW7203'
  | 'KW7204'
  | 'KW7205'
  | 'KW7206'
  | 'KW7301'
  | 'KW7303'
  | 'KW7304'
  | 'KW7305'
  | 'KW7306'
  | 'KW7307'
  | 'KW7308'
  | 'KW7309'
  | 'KW7310'
  | 'KW7401'
  | 'KW7402'
  | 'KW7403'
  | 'KW7404'
  | 'KW7501'
  | 'KW7502'
  | 'KW7503'
  | 'KW7601'
  | 'KW7602'
  | 'KW7603'
  | 'KW7604'
  | 'KW7605'
  | 'KW7504'
  | 'KW7505'
  | 'KW7506'
  | 'KW7507';

/** The text of a command-line error: what failed, why, and what to do, one line each. */
export type Message = Required<{ readonly [Part in keyof ErrorText]: string }>;

/** A failed command; states what failed, why, and what to do. */
export class CliError extends KubewrightError {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;
  /** All parts of the text. */
  readonly text: Message;

  constructor(code: CliErrorCode, text: Message, options?: { readonly cause?: unknown }) {
    super(text, options);
    this.code = code;
    this.text = text;
  }
}
