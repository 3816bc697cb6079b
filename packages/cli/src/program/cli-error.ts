/**
 * The codes of failures that the command line reports itself.
 *
 * | code | meaning |
 * |---|---|
 * | `KW7001` | the command line cannot be understood; `--help` behind any command lists what it takes |
 * | `KW7002` | something failed that should not: a fault of Kubewright itself, worth a report with the stack that `KUBEWRIGHT_DEBUG=1` shows |
 * | `KW7003` | there is no such error code |
 * | `KW7010` | Node is too old: it must be ^20.19, ^22.12 or 24 and newer |
 * | `KW7011` | the system does not allow the use of a file or folder: no permission, no space, too long a name; or TMPDIR names no folder that can be written to |
 * | `KW7101` | the folder belongs to no Kubewright project: it and the folders above have no package.json with a field `kubewright` |
 * | `KW7102` | a name cannot be one in Kubernetes |
 * | `KW7103` | an answer is missing, and there is no terminal to ask on |
 * | `KW7104` | a file that a person wrote is in the way; it was left as it is |
 * | `KW7105` | the project has no such kind, or no other version of it to convert to |
 * | `KW7201` | no embedded cluster runs in this folder |
 * | `KW7202` | the embedded cluster did not start in the background; its log says why |
 * | `KW7203` | the embedded cluster did not stop in time |
 * | `KW7204` | the file is a kubeconfig of something else; it is not overwritten |
 * | `KW7301` | the API server cannot be reached |
 * | `KW7302` | no usable kubeconfig: set `KUBECONFIG`, pass `--kubeconfig FILE`, or start a cluster with `kubewright cluster up` |
 * | `KW7303` | the API server does not know who is calling: credentials are missing, wrong or expired |
 * | `KW7304` | the account may not do that; the message has the missing rule |
 * | `KW7305` | the server does not know the kind: its CRD is not installed |
 * | `KW7306` | the API server refused an object |
 * | `KW7307` | what was deployed did not become ready in time |
 * | `KW7308` | the cluster of a context is not on this machine; developing in it must be allowed by name |
 * | `KW7309` | the API server does not reach the webhooks of the operator that is developed; `--webhook-host` says where they are |
 * | `KW7310` | a webhook cannot be called: writes that it is asked about are refused until its operator runs |
 * | `KW7401` | the generator found mistakes in the types; nothing was written |
 * | `KW7402` | generated files are not what the types say |
 * | `KW7403` | the types would break what is released: stored objects, manifests or clients that were fine |
 * | `KW7404` | that version is released already, with other kinds |
 * | `KW7501` | the operator cannot be bundled |
 * | `KW7502` | the operator ended by itself |
 * | `KW7503` | no image was named |
 * | `KW7601` | a CRD to import cannot be read: no such file, address or kind, or it is too large |
 * | `KW7602` | the project has no test runner, or its tests fail |
 * | `KW7603` | the operator did not reconcile the object that was to be rendered |
 * | `KW7604` | the role grants less than the operator needs, or more |
 * | `KW7605` | what the operator does cannot be read from its log |
 * | `KW7504` | a kustomization uses what is not rendered here |
 * | `KW7505` | the OLM bundle breaks a rule by which it is checked |
 * | `KW7506` | `kubewright-images.json` is no image map, so no image can be loaded into it |
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
  | 'KW7301'
  | 'KW7302'
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
  | 'KW7506';

/** What every message has: what was tried, why it failed, what to do; each a line. */
export interface Message {
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
}

/** A command failed; says what, why and what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly text: Message;

  constructor(code: CliErrorCode, text: Message, options?: { readonly cause?: unknown }) {
    super(`${text.what}\n  why: ${text.why}\n  do: ${text.remedy}`, options);
    this.name = 'CliError';
    this.code = code;
    this.text = text;
  }
}
