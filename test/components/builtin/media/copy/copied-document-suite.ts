/** Copies a document in a process with less memory than the parsed document needs. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

export function copiesWithin({
  memoryMb,
  tracks,
}: {
  readonly memoryMb: number;
  readonly tracks: number;
}): void {
  it(`The document of an earlier job, written anew, takes little memory, with ${tracks} tracks, too`, function () {
    this.timeout(240_000);
    const script = fileURLToPath(new URL('../large-copy.js', import.meta.url));
    const told = execFileSync(process.execPath, [`--max-old-space-size=${memoryMb}`, script, `${tracks}`], {
      encoding: 'utf8',
    });
    const { files, bytes } = JSON.parse(told) as { files: number; bytes: number };
    expect(files).to.equal(2 * tracks);
    expect(bytes).to.be.greaterThan(450 * tracks);
  });
}
