/** Tests of people for any store. `open` opens the store of a test; a shared store may be opened twice. */
import { expect } from 'chai';
import { People, type Editor, type EndedJob, type FoundJob } from '../../../actors/people/people.ts';
import type { ShownPerson } from '../../../actors/people/views.ts';
import type { Visibility } from '../../../domain/users/owner.ts';
import type { DocumentFace } from '../../../store/search.ts';
import { allRows, type Commit, type Store } from '../../../store/store.ts';
import { silent } from '../../bench/parts.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const NUMBERS = 8;
const ADMIN: Editor = { sight: 'ALL', isAdmin: true, user: 'root' };
const ALL = { sight: 'ALL', limit: 100 } as const;
const ACTOR = { kind: 'people', id: 'all' };

/** A vector close to the direction of this person. `turn` moves it away. */
function vectorOf(person: number, turn = 0): Float32Array {
  const vector = new Float32Array(NUMBERS);
  vector[person] = 1;
  vector[(person + 1) % NUMBERS] = turn;
  return vector;
}

let tracks = 0;
export function face(person: number, more: Partial<DocumentFace> = {}): DocumentFace {
  const trackId = `t${++tracks}`;
  return {
    ...{ mediaId: 1, mediaUri: 'file:///party.mp4', mediaType: 'VIDEO', trackId },
    ...{ startFrame: tracks * 100, stopFrame: tracks * 100 + 50, startMs: 0, stopMs: 0, confidence: 0.9 },
    ...{ model: 'm@1', vector: vectorOf(person), frame: 5, box: { x: 1, y: 2, width: 60, height: 70 } },
    ...{ side: 60, width: 640, height: 480, ...more },
  };
}

export interface Given {
  readonly store: Store;
  readonly people: People;
  readonly jobs: Map<number, FoundJob>;
  /** Stores an ended job with its faces. */
  job(number: number, faces: readonly DocumentFace[], more?: Partial<EndedJob>): Promise<void>;
  list(): Promise<readonly ShownPerson[]>;
  /** People as seen by another server, or by this one after a restart. */
  elsewhere(store?: Store, visibility?: Visibility): People;
}

export function openSite(store: Store, visibility: Visibility = 'all'): Given {
  const jobs = new Map<number, FoundJob>();
  const peopleOf = (of: Store, seen: Visibility) =>
    new People({
      ...{ store: of, writer: { server: 'here', epoch: 1 }, clock: new VirtualClock(1_000), logger: silent },
      ...{ visibility: seen, isOn: true, findJob: (number) => Promise.resolve(jobs.get(number)) },
    });
  const people = peopleOf(store, visibility);
  return {
    ...{ store, people, jobs },
    async job(number, faces, more = {}) {
      const { run = 1 } = more;
      jobs.set(number, { status: 'COMPLETE', run, hasDocument: true });
      await people.take({ number, run, jobId: `host-${number}`, ...more }, faces);
    },
    list: async () => (await people.list(ALL)).people,
    elsewhere: (of = store, seen = visibility) => peopleOf(of, seen),
  };
}

const idOf = (answer: object): string => {
  if ('id' in answer && !('refusal' in answer)) return String(answer.id);
  throw new Error(JSON.stringify(answer));
};

/** A store that calls `before` for each commit. */
export function withCommits(store: Store, before: (commit: Commit) => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return async (commit: Commit) => {
          await before(commit);
          return target.commit(commit);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export function peopleContract(open: () => Promise<Store>): void {
  let site: Given;
  const start = async (visibility: Visibility = 'all') => (site = openSite(await open(), visibility));
  beforeEach(() => start());
  afterEach(() => site.store.close());

  it('puts faces that are alike into one group over jobs and media', async () => {
    await site.job(1, [face(0), face(1), face(0, { mediaId: 2, mediaUri: 'file:///b.mp4' })]);
    await site.job(2, [face(0), face(2)]);
    const found = await site.list();
    expect(found.map(({ tracks: n, media, jobs }) => [n, media, jobs])).to.deep.equal([
      [3, 2, 2],
      [1, 1, 1],
      [1, 1, 1],
    ]);
    expect(found[0]!.best).to.deep.include({ jobId: 'host-1', frame: 5, width: 640, height: 480 });
    expect(JSON.stringify(found)).to.not.include('vector');
  });

  it('never compares faces of two models, and leaves faces below 48 pixels out', async () => {
    await site.job(1, [face(0), face(0, { model: 'other@1' }), face(3, { side: 47 })]);
    expect((await site.list()).map(({ model }) => model).toSorted()).to.deep.equal(['m@1', 'other@1']);
  });

  it('never puts two tracks that are visible at once into one person', async () => {
    const shown = { startFrame: 10, stopFrame: 20 };
    await site.job(1, [face(0, shown), face(0, { ...shown, stopFrame: 10 }), face(0, { startFrame: 21 })]);
    expect((await site.list()).map(({ tracks: n }) => n)).to.deep.equal([2, 1]);
    await site.job(2, [face(0, shown)]);
    expect((await site.list()).map(({ tracks: n }) => n)).to.deep.equal([3, 1]);
  });

  it('keeps at most 8 representatives, which are vectors of members', async () => {
    const turned = Array.from({ length: 20 }, (_, n) => face(0, { vector: vectorOf(0, n / 5) }));
    await site.job(1, turned);
    const rows = new Map<string, unknown>();
    for await (const { key, body } of allRows(site.store, ACTOR)) rows.set(key, body);
    const all = [...rows].filter(([key]) => key.startsWith('person/'));
    expect(all.length).to.be.greaterThan(0);
    for (const [, body] of all) {
      const { representatives } = body as { readonly representatives: readonly string[] };
      expect(representatives.length).to.be.within(1, 8);
      for (const key of representatives) expect(rows.has(key), key).to.equal(true);
    }
  });

  it('takes the same job in once, and continues one that broke off', async () => {
    const faces = Array.from({ length: 120 }, (_, n) => face(n % 3));
    let commits = 0;
    const broken = withCommits(site.store, async () => {
      if (++commits === 2) throw new Error('The server is killed.');
    });
    site.jobs.set(1, { status: 'COMPLETE', run: 1, hasDocument: true });
    const job = { number: 1, run: 1, jobId: 'host-1' };
    const failed = await site.elsewhere(broken).take(job, faces).then(() => 'taken', String); // oxfmt-ignore
    expect(failed).to.include('killed');
    const again = site.elsewhere();
    expect((await again.list(ALL)).people.reduce((sum, { tracks: n }) => sum + n, 0)).to.equal(50);
    expect(await again.isTaken(job)).to.equal(false);
    await again.take(job, faces);
    await again.take(job, faces);
    expect((await again.list(ALL)).people.map(({ tracks: n }) => n)).to.deep.equal([40, 40, 40]);
    expect(await again.isTaken(job)).to.equal(true);
  });

  it('shows the newest run of a job alone, and keeps the names of people that it finds again', async () => {
    const [anna, other] = [face(0), face(1)];
    await site.job(1, [anna, other]);
    const [first] = (await site.list()).filter(({ best }) => best.trackId === anna.trackId);
    await site.people.rename(first!.id, 'Anna', ADMIN);
    await site.people.leave(1, 1);
    expect(await site.list(), 'while it runs again').to.deep.equal([]);
    await site.job(1, [face(0, { vector: vectorOf(0, 0.3) }), face(2)], { run: 2 });
    const found = await site.list();
    expect(found.map(({ tracks: n }) => n)).to.deep.equal([1, 1]);
    expect(found.find(({ id }) => id === first!.id)?.name).to.equal('Anna');
  });

  it('deletes faces, vectors and people with their job, named ones too', async () => {
    await site.job(1, [face(0), face(1)]);
    await site.job(2, [face(0)]);
    const [both] = await site.list();
    for (const { id } of await site.list()) await site.people.rename(id, `N ${id}`, ADMIN);
    site.jobs.delete(1);
    expect(await site.people.leave(1, 1)).to.equal(true);
    expect((await site.list()).map(({ id, tracks: n }) => [id, n])).to.deep.equal([[both!.id, 1]]);
    site.jobs.delete(2);
    await site.people.leave(2, 1);
    const rows = [];
    for await (const row of allRows(site.store, ACTOR)) rows.push(row);
    expect(rows).to.deep.equal([]);
  });

  it('finds at the next start what was deleted meanwhile', async () => {
    await site.job(1, [face(0)]);
    await site.job(2, [face(1)]);
    site.jobs.delete(1);
    site.jobs.set(2, { status: 'ERROR', run: 2, hasDocument: false });
    const next = site.elsewhere();
    next.wake();
    for (let n = 0; (await next.list(ALL)).total > 0; n++) expect(n).to.be.below(1_000);
    next.close();
  });

  it('does not keep faces of a job that was deleted while they came in', async () => {
    const job = { number: 7, run: 1, jobId: 'host-7' };
    await site.people.take(job, [face(0)]);
    expect(await site.list()).to.deep.equal([]);
  });

  describe('merged', () => {
    const two = async () => {
      await site.job(1, [face(0), face(0), face(1)]);
      const [one, other] = await site.list();
      return [one!.id, other!.id] as const;
    };

    it('are one under both ids, and later faces of both join them', async () => {
      const [one, other] = await two();
      await site.people.rename(other, 'Anna', ADMIN);
      const merged = await site.people.merge(one, other, ADMIN);
      expect(merged).to.deep.include({ id: one, name: 'Anna', tracks: 3 });
      await site.job(2, [face(1), face(0)]);
      const page = await site.people.members({ id: other, ...ALL });
      expect([page?.person.id, page?.members.length]).to.deep.equal([one, 5]);
    });

    it('are refused with themselves, with nobody and with another model', async () => {
      const [one, other] = await two();
      expect(await site.people.merge(one, one, ADMIN)).to.deep.equal({ refusal: 'SAME' });
      const nobody = '0'.repeat(16);
      expect(await site.people.merge(one, nobody, ADMIN)).to.deep.equal({
        ...{ refusal: 'NO_PERSON', id: nobody },
      });
      await site.job(3, [face(5, { model: 'other@1' })]);
      const [foreign] = (await site.list()).filter(({ model }) => model === 'other@1');
      expect(await site.people.merge(one, foreign!.id, ADMIN)).to.deep.equal({ refusal: 'MODELS' });
      idOf(await site.people.merge(one, other, ADMIN));
      expect(await site.people.merge(one, other, ADMIN)).to.deep.equal({ refusal: 'SAME' });
    });

    it('twice still answer to every id, until they are forgotten', async () => {
      const [one, other] = await two();
      await site.job(2, [face(4)]);
      const third = (await site.list()).find(({ best }) => best.jobId === 'host-2')!.id;
      idOf(await site.people.merge(one, other, ADMIN));
      idOf(await site.people.merge(third, one, ADMIN));
      for (const id of [one, other, third])
        expect((await site.people.members({ id, ...ALL }))?.person.id).to.equal(third);
      expect(await site.people.forget(other, ADMIN)).to.equal(undefined);
      for (const id of [one, other, third])
        expect(await site.people.members({ id, ...ALL })).to.equal(undefined);
    });
  });

  it('splits tracks off, and neither a later run nor a later job brings them back', async () => {
    const [mine, wrong] = [face(0), face(0, { vector: vectorOf(0, 0.3) })];
    await site.job(1, [mine, wrong]);
    const [person] = await site.list();
    const track = { job: 1, mediaId: 1, trackId: wrong.trackId };
    const split = idOf(await site.people.split(person!.id, [track], ADMIN));
    const idsOf = async () => new Map((await site.list()).map(({ id, best }) => [best.trackId, id] as const));
    await site.job(1, [mine, wrong], { run: 2 });
    expect(await idsOf()).to.deep.equal(new Map([[mine.trackId, person!.id], [wrong.trackId, split]])); // oxfmt-ignore
    site.jobs.delete(1);
    await site.job(2, [mine]);
    await site.people.leave(1, 2);
    // The same track again, after its separate person was deleted.
    await site.job(3, [{ ...wrong, vector: vectorOf(0) }]);
    expect((await idsOf()).get(mine.trackId)).to.equal(person!.id);
    expect((await idsOf()).get(wrong.trackId)).to.not.equal(person!.id);
    expect(await site.people.split(person!.id, [track], ADMIN)).to.deep.include({ refusal: 'NO_MEMBER' });
    const last = { job: 2, mediaId: 1, trackId: mine.trackId };
    expect(await site.people.split(person!.id, [last], ADMIN)).to.deep.equal({ refusal: 'ALL_TRACKS' });
  });

  it('forgets a person for good: the same tracks come into no group again', async () => {
    const [mine, other] = [face(0), face(1)];
    await site.job(1, [mine, other]);
    const [person] = (await site.list()).filter(({ best }) => best.trackId === mine.trackId);
    await site.people.forget(person!.id, ADMIN);
    expect(await site.people.forget(person!.id, ADMIN)).to.deep.include({ refusal: 'NO_PERSON' });
    await site.job(1, [mine, other], { run: 2 });
    await site.job(2, [mine]);
    expect((await site.list()).map(({ best }) => best.trackId)).to.deep.equal([other.trackId]);
    const rows = JSON.stringify(await site.store.rows(ACTOR, { prefix: '', limit: 100 }));
    expect(rows).to.not.include(person!.id);
  });

  it('adds the segments of a live stream, in which a track grows to its best picture', async () => {
    const stream = { number: 7, jobId: '7', createdAt: 5_000 };
    site.jobs.set(7, { status: 'IN_PROGRESS', run: 1, hasDocument: true });
    await site.job(1, [face(0)]);
    const part = (startMs: number, more: Partial<DocumentFace> = {}) =>
      face(0, { trackId: 'live', startFrame: startMs, stopFrame: startMs + 9, startMs, stopMs: startMs + 9, ...more }); // oxfmt-ignore
    const parts = [part(10), part(20, { side: 90, frame: 25 }), part(30, { side: 70 })];
    for (const one of [...parts, ...parts]) await site.people.takeSegment(stream, [one]);
    await site.people.takeSegment(stream, [face(1, { startMs: 100, stopMs: 110 }), face(2, { side: 20 })]);
    const [both, other] = await site.list();
    expect([both!.tracks, both!.jobs, other!.tracks]).to.deep.equal([2, 2, 1]);
    expect(both!.best).to.deep.include({
      ...{ jobId: '7', createdAt: 5_000, frame: 25, side: 90 },
      ...{ startFrame: 10, stopFrame: 39, startMs: 10, stopMs: 39 },
    });
    await site.people.forget(both!.id, ADMIN);
    await site.people.takeSegment(stream, [part(40), face(0)]);
    expect((await site.list()).map(({ name, tracks: n }) => [name, n])).to.deep.equal([
      [null, 1],
      [null, 1],
    ]);
    await site.people.expire(7, 5_111);
    expect((await site.list()).map(({ best }) => best.jobId)).to.deep.equal([]);
  });

  it('loses the faces of a live stream with it, also of one that was deleted meanwhile', async () => {
    const stream = { number: 7, jobId: '7', createdAt: 5_000 };
    await site.people.takeSegment(stream, [face(0)]);
    expect(await site.list()).to.deep.equal([]);
    site.jobs.set(7, { status: 'IN_PROGRESS', run: 1, hasDocument: true });
    await site.people.takeSegment(stream, [face(0)]);
    expect(await site.list()).to.have.length(1);
    site.jobs.delete(7);
    expect(await site.people.leave(7, Number.MAX_SAFE_INTEGER)).to.equal(true);
    expect(await site.list()).to.deep.equal([]);
  });

  it('stays whole while a job adds to a person that is merged or forgotten', async () => {
    await site.job(1, [face(0), face(1)]);
    const [one, other] = await site.list();
    let merges = 0;
    const slow = withCommits(site.store, async () => {
      if (merges++ === 0) idOf(await site.people.merge(one!.id, other!.id, ADMIN));
    });
    const jobs = site.store.shared ? site.elsewhere(slow) : site.people;
    const merging = site.store.shared ? undefined : site.people.merge(one!.id, other!.id, ADMIN);
    site.jobs.set(2, { status: 'COMPLETE', run: 1, hasDocument: true });
    await jobs.take({ number: 2, run: 1, jobId: 'host-2' }, [face(0), face(1), face(1)]);
    await merging;
    expect((await site.list()).map(({ tracks: n }) => n)).to.deep.equal([5]);
    const faces = Array.from({ length: 150 }, () => face(0));
    const adding = site.job(3, faces);
    await site.people.forget(one!.id, ADMIN);
    await adding;
    const left = await site.list();
    expect(left.every(({ id }) => id !== one!.id)).to.equal(true);
    expect(left.reduce((sum, { tracks: n }) => sum + n, 0)).to.be.within(0, 150);
  });

  describe('of several users', () => {
    const anna = { user: 'anna', group: 'red' };
    const bob = { user: 'bob', group: 'red' };
    const carl = { user: 'carl' };
    const editor = (owner: { readonly user: string; readonly group?: string }, sight: Editor['sight']) => ({
      ...{ sight, isAdmin: false, user: owner.user },
    });
    const three = async () => {
      await site.job(1, [face(0)], { owner: anna });
      await site.job(2, [face(0)], { owner: bob });
      await site.job(3, [face(0)], { owner: carl });
    };
    const tracksSeen = async (sight: Editor['sight']) =>
      (await site.people.list({ sight, limit: 100 })).people.map(({ tracks: n }) => n);

    it('are apart with JOB_VISIBILITY=own, and together within a group with group', async () => {
      for (const [visibility, seen] of [
        ['own', [1, 1, 1]],
        ['group', [2, 1]],
        ['all', [3]],
      ] as const) {
        // oxfmt-ignore
        await site.store.close();
        await start(visibility);
        await three();
        expect(await tracksSeen('ALL'), visibility).to.deep.equal(seen);
      }
    });

    it('are not told of a job, or of the camera, of another user', async () => {
      await site.store.close();
      await start('own');
      await three();
      site.jobs.set(7, { status: 'IN_PROGRESS', run: 1, hasDocument: true });
      await site.people.takeSegment({ number: 7, jobId: '7', owner: anna, createdAt: 5_000 }, [face(0)]);
      const whole = async (job: number, user: string) => {
        const { total, isWhole } = await site.people.list({ sight: { user }, limit: 10, job });
        return [total, isWhole];
      };
      for (const job of [1, 7]) {
        expect(await whole(job, 'anna')).to.deep.equal([1, true]);
        expect(await whole(job, 'carl')).to.deep.equal([0, false]);
      }
      expect(await tracksSeen({ user: 'anna' })).to.deep.equal([2]);
      expect(await tracksSeen({ user: 'carl' })).to.deep.equal([1]);
    });

    it('are taken apart after a restart with a narrower JOB_VISIBILITY, and keep their names', async () => {
      await three();
      await site.job(4, [face(0)], { owner: anna });
      const [{ id } = { id: '' }] = await site.list();
      await site.people.rename(id, 'Eve', ADMIN);
      for (const [visibility, seen] of [
        ['group', [3, 1]],
        ['own', [2, 1, 1]],
      ] as const) {
        const restarted = site.elsewhere(undefined, visibility);
        restarted.wake();
        const shown = async () => (await restarted.list(ALL)).people;
        const isDone = (found: readonly ShownPerson[]) =>
          found.map(({ tracks: n }) => n).join() === seen.join();
        for (let n = 0; !isDone(await shown()); n++) expect(n, visibility).to.be.below(1_000);
        const found = await shown();
        expect(new Set(found.map(({ name }) => name))).to.deep.equal(new Set(['Eve']));
        expect(found[0]!.id).to.equal(id);
        restarted.close();
      }
      // Visible to all users again: a new face joins one of these people.
      const last = site.elsewhere();
      site.jobs.set(5, { status: 'COMPLETE', run: 1, hasDocument: true });
      await last.take({ number: 5, run: 1, jobId: 'host-5', owner: carl }, [face(0)]);
      const found = (await last.list(ALL)).people;
      expect([found.length, found.reduce((sum, { tracks: n }) => sum + n, 0)]).to.deep.equal([3, 5]);
    });

    it('are taken apart before faces of the next job come in, also those of many tracks', async () => {
      const faces = () => Array.from({ length: 700 }, () => face(0));
      await site.job(1, faces(), { owner: anna });
      await site.job(2, faces(), { owner: bob });
      const [{ id, best } = { id: '', best: { trackId: '' } }] = await site.list();
      const split = { job: 1, mediaId: 1, trackId: best.trackId };
      idOf(await site.people.split(id, [split], ADMIN));
      const restarted = site.elsewhere(undefined, 'own');
      site.jobs.set(3, { status: 'COMPLETE', run: 1, hasDocument: true });
      await restarted.take({ number: 3, run: 1, jobId: 'host-3', owner: bob }, [face(0)]);
      const found = (await restarted.list(ALL)).people;
      expect(found.map(({ tracks: n }) => n)).to.deep.equal([701, 699, 1]);
      for (const one of found) expect(one.jobs).to.be.at.most(2);
      const ofBob = await restarted.list({ sight: { user: 'bob' }, limit: 100 });
      expect(ofBob.people.map(({ tracks: n, jobs }) => [n, jobs])).to.deep.equal([[701, 2]]);
    });

    it('are counted by what the user sees, and unknown to others', async () => {
      await three();
      const [{ id } = { id: '' }] = await site.list();
      expect(await tracksSeen(anna)).to.deep.equal([2]);
      expect(await tracksSeen(carl)).to.deep.equal([1]);
      expect(await tracksSeen({ user: 'dora' })).to.deep.equal([]);
      expect(await site.people.members({ id, sight: { user: 'dora' }, limit: 9 })).to.equal(undefined);
      expect(await site.people.rename(id, 'X', editor({ user: 'dora' }, { user: 'dora' }))).to.deep.equal({
        ...{ refusal: 'NO_PERSON', id },
      });
      expect(await site.people.tracks(id, { user: 'carl' })).to.have.length(1);
    });

    it('are named by their tracks to whoever sees the job, until it runs again', async () => {
      const mine = face(0);
      await site.job(1, [mine], { owner: anna });
      const [{ id } = { id: '' }] = await site.list();
      await site.people.rename(id, 'Eve', ADMIN);
      const track = { job: 1, run: 1, mediaId: 1, trackId: mine.trackId };
      const asked = [track, { ...track, run: 2 }, { ...track, mediaId: 2 }, { ...track, job: 2 }];
      expect(await site.people.ofTracks(asked, anna)).to.deep.equal([{ id, name: 'Eve' }, null, null, null]);
      expect(await site.people.ofTracks([track], carl)).to.deep.equal([null]);
      expect(await site.elsewhere().ofTracks([track], 'ALL')).to.deep.equal([{ id, name: 'Eve' }]);
      await site.people.leave(1, 1);
      expect(await site.people.ofTracks([track], 'ALL')).to.deep.equal([null]);
    });

    it('are named by who owns one of their jobs, and forgotten by who owns all', async () => {
      await three();
      const [{ id } = { id: '' }] = await site.list();
      expect(await site.people.rename(id, 'X', editor({ user: 'dora' }, 'ALL'))).to.deep.equal({
        ...{ refusal: 'FOREIGN', id },
      });
      idOf(await site.people.rename(id, 'Carl', editor(carl, 'ALL')));
      expect(await site.people.forget(id, editor(carl, 'ALL'))).to.deep.equal({ refusal: 'FOREIGN', id });
      expect(await site.people.forget(id, ADMIN)).to.equal(undefined);
    });
  });

  it('lists page by page, by name, and by job and medium', async () => {
    await site.job(1, [face(0), face(0), face(1), face(2, { mediaId: 2 })]);
    await site.job(2, [face(3)]);
    const [most] = await site.list();
    await site.people.rename(most!.id, 'Ännchen', ADMIN);
    const seen: string[] = [];
    for (let cursor: { tracks: number; id: string } | undefined, more = true; more;) {
      const page = await site.people.list({ sight: 'ALL', limit: 3, cursor });
      expect(page.total).to.equal(4);
      seen.push(...page.people.map(({ id }) => id));
      more = page.next !== null;
      cursor = page.next ?? undefined;
    }
    expect(new Set(seen).size).to.equal(4);
    expect((await site.people.list({ ...ALL, name: 'annc' })).people.map(({ id }) => id)).to.deep.equal([
      most!.id,
    ]);
    expect((await site.people.list({ ...ALL, named: false })).total).to.equal(3);
    expect((await site.people.list({ ...ALL, job: 1, mediaId: 2 })).total).to.equal(1);
    expect(await site.people.tracks('ÄNNCHEN', 'ALL')).to.have.length(2);
    const counts = await site.people.counts([1, 2]);
    expect([counts.get(1)?.get(1), counts.get(1)?.get(2), counts.get(2)?.get(1)]).to.deep.equal([2, 1, 1]);
  });
}
