import { describe, expect, it } from 'vitest';
import { instructions, shellQuote } from './instructions.ts';

const base = {
  kubeconfig: '/home/me/kubewright/.kubewright/kubeconfig',
  project: '/home/me/kubewright/examples/postgresql',
  workingDirectory: '/home/me/kubewright',
  hasKubectl: true,
  hasPsql: true,
  hasSample: true,
  isIsolated: false,
};

describe('instructions', () => {
  it('begins with the line that exports the kubeconfig', () => {
    const lines = instructions(base).split('\n');
    expect(lines[0]).toBe('Try it from a second terminal:');
    expect(lines[2]).toBe('  export KUBECONFIG=/home/me/kubewright/.kubewright/kubeconfig');
  });

  it('prints paths relative to the folder of the user', () => {
    expect(instructions(base)).toContain('-f examples/postgresql/config/samples/');
    const elsewhere = instructions({ ...base, workingDirectory: '/tmp' });
    expect(elsewhere).toContain('-f /home/me/kubewright/examples/postgresql/config/samples/');
  });

  it('quotes paths with spaces', () => {
    const text = instructions({ ...base, kubeconfig: "/a b/it's/kubeconfig" });
    expect(text).toContain(`export KUBECONFIG='/a b/it'\\''s/kubeconfig'`);
    expect(shellQuote('plain/path')).toBe('plain/path');
  });

  it('uses the address at which this machine reaches the pod', () => {
    expect(instructions(base)).toContain("-o jsonpath='{.status.podIP}'");
    const text = instructions({ ...base, isIsolated: true });
    expect(text).toContain("-o jsonpath='{.metadata.annotations.kubewright\\.dev/host-address}'");
  });

  it('prints in one line how to get kubectl if it is missing', () => {
    expect(instructions(base)).not.toContain('not on the PATH');
    const text = instructions({ ...base, hasKubectl: false });
    expect(text.split('\n').filter((line) => line.includes('kubectl is not on the PATH'))).toHaveLength(1);
  });

  it('prints the command that reads the password, never the password', () => {
    expect(instructions(base)).toContain('kubectl get secret postgresql-sample-credentials');
    expect(instructions(base)).not.toContain('Password123');
  });

  it('follows the order of the article if no sample exists', () => {
    const text = instructions({ ...base, hasSample: false });
    expect(text.indexOf('kubectl get postgresql ')).toBeLessThan(text.indexOf('kubectl apply -f'));
  });
});
