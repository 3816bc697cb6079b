import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { Screen } from './screen.mjs';
// @ts-expect-error a script without types
import { svgOf, withoutPauses } from './svg.mjs';

interface Line {
  readonly atMs: number;
  readonly spans: readonly { readonly text: string; readonly style: string }[];
}

function textOf(screen: { readonly lines: readonly Line[] }): readonly string[] {
  return screen.lines.map(({ spans }) => spans.map(({ text }) => text).join(''));
}

describe('Screen', () => {
  it('keeps what a terminal would show', () => {
    const screen = new Screen();
    screen.write('waiting\rready\n\x1b[32mgreen\x1b[0m plain\r\n', 5);
    screen.write('spinner\x1b[1G\x1b[0Kdone', 9);
    expect(textOf(screen)).toEqual(['ready', 'green plain', 'done']);
    expect(screen.lines[1].spans).toEqual([
      { text: 'green', style: 'green' },
      { text: ' plain', style: '' },
    ]);
    expect(screen.lines.map(({ atMs }: Line) => atMs)).toEqual([5, 5, 9]);
  });
});

describe('svgOf', () => {
  it('shows each line at its time, with markup escaped', () => {
    const line = { atMs: 1_500, spans: [{ text: '<b> & c', style: 'bold' }] };
    const svg: string = svgOf([line], { title: 'a & b', columns: 10 });
    expect(svg).toContain('animation-delay:1.50s');
    expect(svg).toContain('&lt;b&gt; &amp; c');
    expect(svg).toContain('<title>a &amp; b</title>');
    expect(svg).not.toContain('<b>');
  });

  it('shortens pauses and keeps the order', () => {
    const at = (atMs: number): Line => ({ atMs, spans: [] });
    const shorter: readonly Line[] = withoutPauses([at(0), at(100), at(5_000), at(5_050)], 1_000);
    expect(shorter.map(({ atMs }) => atMs)).toEqual([0, 100, 1_100, 1_150]);
  });
});
