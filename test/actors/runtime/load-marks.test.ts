/**
 * A stored state that crashes the server during its restore: after the second crash the server does not
 * restore it again.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { LoadMarks } from '../../../actors/runtime/load-marks.ts';
import { temporaryFolder } from '../../store/folder.ts';

const CHILD = fileURLToPath(new URL('./restoring-child.js', import.meta.url));

describe('A stored state that ends the server when it is restored', () => {
  const path = temporaryFolder();

  /** Starts a server that loads one actor. Returns its output or its exit code. */
  const start = (id: string) =>
    new Promise<string | number>((resolve) => {
      execFile(process.execPath, [CHILD, path(''), id], (error, stdout) =>
        resolve(error === null ? stdout : Number(error.code)),
      );
    });

  it('is put into quarantine when it has done so twice; other states are restored at any time', async () => {
    expect(await start('bad')).to.equal(7);
    expect(await start('good')).to.equal('loaded; stored: true');
    expect(await start('bad')).to.equal(7);
    expect(await start('good')).to.equal('loaded; stored: true');
    expect(await start('bad')).to.equal(
      'The server ended, or was ended, 2 times while it restored this state.; stored: false',
    );
    expect(await start('good')).to.equal('loaded; stored: true');
  });

  it('is so, too, when it has been restored for a while before', async () => {
    expect(await start('late')).to.equal(7);
    expect(await start('late')).to.equal(7);
    expect(await start('late')).to.equal(
      'The server ended, or was ended, 2 times while it restored this state.; stored: false',
    );
  });
});

describe('A stored state that is restored while the disk is full', () => {
  const path = temporaryFolder();

  it('is restored without a note of it, and not put into quarantine', () => {
    mkdirSync(path('full'));
    const marks = new LoadMarks(path('full'));
    symlinkSync('/dev/full', path('full/restoring'));
    expect(marks.runDuring('batch-job/7', () => 'restored')).to.equal('restored');
    marks.over('batch-job/7');
  });
});
