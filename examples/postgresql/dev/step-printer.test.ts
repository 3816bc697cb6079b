import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { StepPrinter } from './step-printer.ts';

async function printed(colors: boolean): Promise<string> {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const steps = new StepPrinter({ clock, output: { write: (text) => seen.push(text) }, sinceMs: 500, colors });
  steps.step('cluster ready', 'https://127.0.0.1:6443');
  await clock.advance(12_345);
  steps.step('Pg Phase: up', 'PostgreSQL', 'good');
  steps.step('no detail');
  return seen.join('');
}

describe('StepPrinter', () => {
  it('aligns times, names and details', async () => {
    expect(await printed(false)).toBe(
      [
        '   0.50 s  cluster ready     https://127.0.0.1:6443',
        '  12.85 s  Pg Phase: up      PostgreSQL',
        '  12.85 s  no detail',
        '',
      ].join('\n'),
    );
  });

  it('uses colors only if enabled', async () => {
    expect(await printed(false)).not.toContain('\u001b');
    expect(await printed(true)).toContain('\u001b[32mPg Phase: up');
  });
});
