import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./starving-child.js', import.meta.url));

describe('A component process', function () {
  this.timeout(20_000);

  it('is reported as ended if there are not enough file descriptors, and may start later', () => {
    const script = 'ulimit -n 100 && exec "$0" "$1"';
    const text = execFileSync('sh', ['-c', script, process.execPath, CHILD], { encoding: 'utf8' });
    const { error, unstartable, isClosed } = JSON.parse(text) as Record<string, unknown>;
    expect([error, unstartable, isClosed]).to.deep.equal([
      `spawn ${process.execPath} EMFILE`,
      undefined,
      true,
    ]);
  });
});
