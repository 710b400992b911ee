import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { initialState } from '../../../actors/batch-job/state/initial-state.ts';
import { JOB_SCHEMA, toSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { documentInput } from '../../../actors/job-files/document-input.ts';
import type { DocumentMedium } from '../../../protocol/document-work.ts';
import type { Issue } from '../../../domain/types.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { recordOf } from '../batch-job/jobs.ts';

describe('What the document is written from', () => {
  let folder: string;
  let store: SqliteStore;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-document-input-'));
    store = new SqliteStore(join(folder, 'troupe.db'));
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const warning = (message: string): Issue => ({ code: 'PADDING', message });
  const KEY = { t0: '0001/000000/t000/a000/', t1: '0001/000000/t001/a000/' };

  function rowOf(key: string, kind: string, index: number, warnings: readonly Issue[]) {
    const summary = { tracks: 1, detections: 1, types: { FACE: 1 }, warnings, ranges: [] };
    const stage = { name: 'TASK', index };
    const range = { start: 0, stop: -1 };
    const rest = { unit: 0, medium: 0, action: 0, range, attempts: 0, work: null, state: 'DONE' };
    return { key, body: { key, kind, stage, file: `/${key}`, summary, ...rest } };
  }

  it('has the warnings of each task, also when artifacts were extracted in another one', async () => {
    const record = recordOf({ tasks: [1, 1] });
    const start = { run: 1, priority: 4, admitted: true, objectId: 'o', at: 0 };
    const state = toSnapshot(record, initialState(record, start));
    const facts = { mediaType: 'IMAGE', mimeType: 'image/png', sha256: 'c067', length: 1, metadata: {} };
    const prepared = { facts, inspected: true, path: '/m', warnings: [], ranges: [], file: '/p' };
    const prepare = rowOf('0001/000000/p', 'PREPARE', 0, []);
    await store.commit({
      actor: { kind: BATCH_JOB, id: String(record.number) },
      expected: 0,
      owner: { server: 's', epoch: 1 },
      record,
      snapshot: { schema: JOB_SCHEMA, body: { state, seen: [] } },
      putRows: [
        { ...prepare, body: { ...prepare.body, stage: { name: 'PREPARE' }, prepared, summary: undefined } },
        rowOf(`${KEY.t0}f`, 'FINISH', 0, [warning('of the first task')]),
        rowOf(`${KEY.t1}f`, 'FINISH', 1, [warning('of the second task')]),
        rowOf(`${KEY.t1}g`, 'ARTIFACTS', 1, [warning('of the second task')]),
      ],
    });
    const lines: unknown[] = [];
    for await (const line of documentInput(store, record.number, ({ uri }) => uri)) lines.push(line);
    const { warnings } = lines[1] as DocumentMedium;
    expect(warnings.map(({ message }) => message)).to.deep.equal(['of the first task', 'of the second task']);
  });
});
