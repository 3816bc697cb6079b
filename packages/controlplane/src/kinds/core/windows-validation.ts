import { checkDns1123Subdomain, type FieldError, invalidField } from '@kubewright/apimachinery';
import type { PodSpec, WindowsSecurityContextOptions } from '../generated/drafts.ts';
import { type Check, fields, present, textRule } from '../validation/check.ts';
import { containersOf } from './containers-of.ts';

const maxCredentialSpecKiB = 64;
const maxDomainLength = 256;
const maxUserLength = 104;

const credentialSpec: Check<string> = textRule((spec) => {
  if (spec === '') return ['gmsaCredentialSpec cannot be an empty string'];
  const tooLong = Buffer.byteLength(spec) > maxCredentialSpecKiB * 1024;
  return tooLong ? [`gmsaCredentialSpec size must be under ${maxCredentialSpecKiB} KiB`] : [];
});

const controlCharacter = /\p{Cc}/u;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Validates a user name, with or without a domain: `DOMAIN\user`. */
const userName: Check<string> = textRule((name) => {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (controlCharacter.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainFaults(parts[0] ?? '') : []), ...userFaults(user)];
});

function domainFaults(domain: string): readonly string[] {
  const faults: string[] = [];
  if (domain.length >= maxDomainLength) {
    faults.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  }
  if (!netBiosName.test(domain) && !dnsName.test(domain)) {
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format"); // prose-ok: upstream's text
  }
  return faults;
}

function userFaults(user: string): readonly string[] {
  const faults: string[] = [];
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  if (user.length > maxUserLength) {
    faults.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  }
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return faults;
}

/** Validates the Windows options of a pod or container. */
export const windowsOptions: Check<WindowsSecurityContextOptions> = fields<WindowsSecurityContextOptions>({
  gmsaCredentialSpecName: present(textRule(checkDns1123Subdomain)),
  gmsaCredentialSpec: present(credentialSpec),
  runAsUserName: present(userName),
});

/**
 * Validates host processes on Windows: either all containers of a pod or none must be host processes. Host processes
 * need host networking.
 */
export const hostProcesses: Check<PodSpec> = (spec, path) => {
  if (!spec) return [];
  const faults: FieldError[] = [];
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersOf(spec, path);
  let count = 0;
  for (const { container, path: at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      faults.push(invalidField(at.child('securityContext', 'windowsOptions', 'hostProcess'), own, detail));
    }
    if (own ?? ofPod) count++;
  }
  if (count === 0) return faults;
  if (count !== containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    faults.push(invalidField(path, '', detail));
  }
  if (!spec.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    faults.push(invalidField(path.child('hostNetwork'), false, detail));
  }
  return faults;
};
