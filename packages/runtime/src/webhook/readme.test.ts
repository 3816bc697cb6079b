import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { usageOf } from '../testdata/usage-of.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README of webhooks', () => {
  it('shows the type-checked example, which runs unchanged', async () => {
    const example = read('testdata/readme-webhooks.ts');
    expect(read('../../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``);
    const { module, usage } = await usageOf(() => import('./testdata/readme-webhooks.ts'));
    expect(usage).toContain('--webhook-port');
    const names = webhookConfigurations(module.webhooks).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['mutating-webhook-configuration', 'validating-webhook-configuration']);
  }, 60_000);
});
