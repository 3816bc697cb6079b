import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tarOf, writeLayout } from '../../testdata/image-archive.ts';

/** An OCI layout of an image with a layer for each text. The layers cannot be compressed much, so that they are sent in pieces. */
export class TestImage implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'kw-registry-'));

  /** Folder of the layout. */
  get layout(): string {
    return join(this.folder, 'layout');
  }

  constructor(layers: readonly string[]) {
    const files = layers.map((text, index) => {
      const source = join(this.folder, `layer-${index}`);
      mkdirSync(source);
      writeFileSync(join(source, `file-${index}`), text);
      return tarOf(source, `${source}.tar`);
    });
    mkdirSync(this.layout);
    writeLayout(this.layout, { name: 'app:1', layers: files, config: { Cmd: ['/x'] } });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
