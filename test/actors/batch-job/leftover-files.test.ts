import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { List } from 'immutable';
import { removeStrays, type CleanupDeps } from '../../../actors/batch-job/completion/cleanup.ts';
import type { JobRecord } from '../../../actors/batch-job/state/record.ts';
import type { JobState } from '../../../actors/batch-job/state/state.ts';
import { temporaryFolder } from '../../store/folder.ts';

describe('What a killed component has left of a job', () => {
  const place = temporaryFolder();

  it('goes before the document is written, and nothing that its sub-job is writing already', async () => {
    const parts = ['artifacts/h-1.1/0/1/a.png.7.part', 'output-objects/h-1.1/media-index.7.part'].map(place);
    for (const part of parts) {
      await mkdir(path.dirname(part), { recursive: true });
      await writeFile(part, 'x');
    }
    const settings = { dataDir: place('.') } as CleanupDeps['settings'];
    const state = { run: 1, status: 'IN_PROGRESS', media: List() } as unknown as JobState;
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const deps = { settings, logger, store: undefined as never };
    await removeStrays(deps, { jobId: 'h-1' } as JobRecord, state);
    expect(parts.map((part) => existsSync(part))).to.deep.equal([false, true]);
  });
});
