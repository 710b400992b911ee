/** Rows name files relative to DATA_DIR. Those of the version before named them by their paths: made by its code, ended with kill -9. */
import { cp, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { packageRoot } from '../../../config/info.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { bitmapOf } from '../../support/media/bitmap.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { Service, tracksOf, withoutRedis } from '../../support/processes/service.ts';
import { ownToken } from '../../support/tokens.ts';

const FIXTURE = path.join(packageRoot, 'test', 'fixtures', 'absolute-paths');
const LIVE = 'test-host-1';
/** What each action has found on each of the two media. */
const FOUND = [
  ['one', 'fed one'],
  ['two', 'fed two'],
];

describe('What jobs have stored', () => {
  before(withoutRedis);
  let service: Service;
  let component: RawComponent;
  let dataDir: string;
  beforeEach(() => {
    service = new Service({ LEASE_MS: '2000' }, ({ url }) => ownToken(url, dataDir));
    component = new RawComponent(service);
    dataDir = service.dataDir;
  });
  afterEach(() => service.close());

  const database = <T>(look: (open: Database.Database) => T): T => {
    const open = new Database(path.join(dataDir, 'troupe.db'));
    try {
      return look(open);
    } finally {
      open.close();
    }
  };
  const move = async (name: string) => {
    const to = path.join(service.folder, name);
    await rename(dataDir, to);
    dataDir = to;
  };

  /** What is left to do is given out with the files of before. */
  const given = async (work: Awaited<ReturnType<RawComponent['claimOf']>>, id: string, medium: string) => {
    expect(work.id).to.equal(`${id}.1.1.0.1.0`);
    expect(work.work.medium.path).to.equal(path.join(dataDir, 'media', medium));
    await readFile(work.work.medium.path);
    expect(work.work.feedForward?.lines).to.include('"LABEL":"two"');
  };

  /** It is done on the files of before, and the document tells of all that was found. */
  const goesOn = async (id: string, medium: string) => {
    const work = await component.claimOf(id, 'ABSENT');
    await given(work, id, medium);
    const answer = await component.result(work.token, [trackNamed('fed two')]);
    expect(answer.status, answer.text).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(id);
    expect(
      media.map((medium) =>
        tracksOf(medium, 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL']),
      ),
    ).to.deep.equal(FOUND);
    expect((await service.job(id))?.outputObjectPath).to.equal(
      path.join(dataDir, 'output-objects', `${id}.1`, 'detection.json'),
    );
  };

  /** A job that is fed what it has found; one of its sub-jobs is left, and a component holds it. */
  const halfDone = async () => {
    const action = (name: string, more = {}) => ({
      name,
      algorithm: 'ABSENT',
      properties: Object.entries({ ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES', ...more }).map(
        ([key, value]) => ({
          name: key,
          value,
        }),
      ),
    });
    const actions = [action('FINDS'), action('IS FED', { FEED_FORWARD_TYPE: 'REGION' })];
    const tasks = actions.map(({ name }) => ({ name: `${name} TASK`, actions: [name] }));
    const picture = (n: number) => bitmapOf(new Uint8Array(n * n * 3).fill(99), n, n);
    const uploaded = await fetch(`${service.url}/rest/media?name=picture.bmp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: picture(6),
    });
    const { mediaUri } = (await uploaded.json()) as { mediaUri: string };
    const id = await service.submit({
      media: [mediaUri, `data:image/bmp;base64,${picture(5).toString('base64')}`],
      pipelineDefinition: { pipeline: tasks.map(({ name }) => name), tasks, actions },
    });
    for (const label of ['one', 'two', 'fed one']) {
      const { token } = await component.claimOf(id, 'ABSENT');
      expect((await component.result(token, [trackNamed(label)])).status).to.equal(200);
    }
    await component.claimOf(id, 'ABSENT');
    return id;
  };

  it('never names files by the data folder: a moved folder works without configuration', async () => {
    await service.startHere();
    const id = await halfDone();
    await service.stop();
    const paths = database((open) => {
      const rows = open.prepare<[], { body: string }>('select body from actor_rows').all();
      // Neither is it remembered: as if another host had it at another place.
      open.exec('delete from places');
      return rows.flatMap(({ body }) => [...body.matchAll(/"(\/[^"]*)"/g)].map(([, text]) => text!));
    });
    expect(paths.filter((text) => text.startsWith(dataDir))).to.deep.equal([]);
    await move('elsewhere');
    await service.startHere({ DATA_DIR: dataDir });
    await goesOn(id, `${id}.1.m1`);
  });

  it('by an earlier version is read: a live job continues where the data folder was', async () => {
    await cp(FIXTURE, dataDir, { recursive: true });
    const place = { folder: dataDir, real: dataDir };
    // Brought here as the version before did it.
    await new SqliteStore(path.join(dataDir, 'troupe.db'), { place }).close();
    await service.startHere();
    await given(await component.claimOf(LIVE, 'ABSENT'), LIVE, `${LIVE}.1/1-1`);
  });

  it('by an earlier version is read after the data folder moved, also between two sub-jobs', async () => {
    await cp(FIXTURE, dataDir, { recursive: true });
    await service.startHere();
    await given(await component.claimOf(LIVE, 'ABSENT'), LIVE, `${LIVE}.1/1-1`);
    await service.stop();
    await move('moved');
    await service.startHere({ DATA_DIR: dataDir });
    await goesOn(LIVE, `${LIVE}.1/1-1`);
  });
});
