import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';

/** A fake kubectl that lists the group only from the second call on. */
const kubectl = `#!/bin/sh
[ "$1" = version ] && exit 0
[ -e "$ASKED" ] && echo wells.example.com/v1 || echo apps/v1
: > "$ASKED"
`;

it.each(['api-versions', 'api-resources', 'rollout status', 'wait'])(
  'repeats kubectl %s until it prints what the page shows',
  (command) => {
    const folder = mkdtempSync(join(tmpdir(), 'kw-walk-'));
    try {
      const page = join(folder, 'page.md');
      writeFileSync(
        page,
        `# Page\n\n\`\`\`sh\nkubectl ${command}\n\`\`\`\n\n\`\`\`text\nwells.example.com/v1\n\`\`\`\n`,
      );
      writeFileSync(join(folder, 'kubectl'), kubectl);
      chmodSync(join(folder, 'kubectl'), 0o755);
      const env = {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env['PATH']}`,
        ASKED: join(folder, 'asked'),
      };
      const walk = join(import.meta.dirname, 'walk.mjs');
      const output = execFileSync(process.execPath, [walk, page, '--once'], { env, encoding: 'utf8' });
      expect(output).toContain(`$ kubectl ${command}\nwells.example.com/v1\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
