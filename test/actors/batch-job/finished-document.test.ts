/** A run has written its document, but the store has lost the commit that ended the run. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findDocument } from '../../../actors/job-files/finished-document.ts';
import { detectionFile, runFolder } from '../../../results/layout.ts';
import { temporaryFolder } from '../../store/folder.ts';

const RECORD = { jobId: 'here-7' };
const STATE = { run: 2, baseRun: undefined, objectId: 'abc' };
const HEAD = { jobId: 'here-7', objectId: 'abc', timeStop: '2026-03-01T10:00:00.000Z', status: 'ERROR' };

describe('The document of a run that has not ended', () => {
  const pathIn = temporaryFolder();
  let folders = 0;
  const found = async (text: string | undefined, run = 2) => {
    const dataDir = pathIn(`data-${++folders}`);
    const file = path.join(dataDir, detectionFile(runFolder(RECORD.jobId, run)));
    mkdirSync(path.dirname(file), { recursive: true });
    if (text !== undefined) writeFileSync(file, text);
    return findDocument(dataDir, RECORD, STATE);
  };
  const documentWith = (head: object) =>
    `${JSON.stringify(head).slice(0, -1)},"media":[\n{}],\n"errors":[]}\n`;

  it('tells how the run has ended, and its hash', async () => {
    const text = documentWith(HEAD);
    expect(await found(text)).to.deep.equal({
      ...{ type: 'adoptDocument', objectId: 'abc', status: 'ERROR' },
      endedAt: Date.parse(HEAD.timeStop),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  });

  it('is none when another run has written it, or nobody', async () => {
    expect(await found(documentWith({ ...HEAD, objectId: 'other' }))).to.equal(undefined);
    expect(await found(documentWith(HEAD), 1)).to.equal(undefined);
    expect(await found(undefined)).to.equal(undefined);
  });

  it('is none when it is no whole document of a job that has ended', async () => {
    for (const text of [
      '',
      '{}',
      'x'.repeat(100),
      '{"objectId":"abc","media":[',
      documentWith({ ...HEAD, status: 'IN_PROGRESS' }),
    ])
      expect(await found(text), text).to.equal(undefined);
  });
});
