import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { main, webhooks } from './testdata/readme-webhooks.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README on webhooks', () => {
  it('shows the example that is type-checked', () => {
    const example = read('testdata/readme-webhooks.ts');
    expect(read('../../README.md')).toContain(`\`\`\`ts\n${example}\`\`\``);
    expect(main).toBeTypeOf('function');
    const names = webhookConfigurations(webhooks).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['mutating-webhook-configuration', 'validating-webhook-configuration']);
  });
});
