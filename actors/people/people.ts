import { randomBytes } from 'node:crypto';
import type { Logger } from '../../config/logger.ts';
import { isSeen, type Owner, type Sight, type Visibility } from '../../domain/users/owner.ts';
import type { DocumentFace } from '../../store/search.ts';
import type { Owner as Writer, Store } from '../../store/store.ts';
import type { JobSnapshot } from '../batch-job/state/snapshot.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import type { Clock } from '../basics/clock.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import type { PeopleFigures } from '../views/metrics.ts';
import {
  findPerson,
  forgetPerson,
  mergePeople,
  namePerson,
  splitPerson,
  type EditRefusal,
  type TrackPlace,
} from './edit.ts';
import { circleOf } from './grouping.ts';
import { apartKey, jobKey, STREAM_RUN, type Person } from './rows.ts';
import {
  countPeople,
  pageOfMembers,
  pageOfPeople,
  personsOf,
  shownMembers,
  shownPerson,
  shownTo,
  tracksOf,
  type MembersPage,
  type MembersQuery,
  type NamedPerson,
  type PeoplePage,
  type PeopleQuery,
  type ShownPerson,
  type TrackOfRun,
} from './views.ts';
import { regroupAll } from './regroup.ts';
import type { Draft, PeopleState } from './state.ts';
import { StoredPeople } from './stored-people.ts';
import {
  facesInOrder,
  isTaken,
  removeJob,
  removeOldFaces,
  takeFaces,
  type JobFaces,
  type Making,
} from './take-faces.ts';

export interface PeopleDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a job that is not deleted. */
  findJob(number: number): Promise<FoundJob | undefined>;
  /** Value of JOB_VISIBILITY. */
  readonly visibility: Visibility;
  /** True if new faces are grouped: FACE_EMBEDDING and SEARCH are on. */
  readonly isOn: boolean;
}

/** Current state of a job. */
export type FoundJob = Pick<JobSnapshot, 'status' | 'run' | 'hasDocument'>;

/** An ended job. */
export interface EndedJob {
  readonly number: number;
  readonly run: number;
  readonly jobId: string;
  readonly owner?: Owner | undefined;
}

/** A live stream. */
export interface StreamOfFaces extends Omit<EndedJob, 'run'> {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The user who changes people. */
export interface Editor {
  readonly sight: Sight;
  /** True if the user may change all people. */
  readonly isAdmin: boolean;
  readonly user: string | undefined;
}

/** FOREIGN: the user sees the person, but does not own the required jobs. */
export type PersonRefusal = EditRefusal | { readonly refusal: 'FOREIGN'; readonly id: string };
type Edited = ShownPerson | PersonRefusal;

/** Maximum number of faces in groups. All of them are in memory. */
const MOST_MEMBERS = 200_000;
/** Maximum number of faces in a commit, so that other servers read only a few changes. */
const FACES_AT_ONCE = 50;
/** Time limit for the faces of a commit. Other servers and users wait for it. */
const COMMIT_MS = 100;
/** Maximum number of tracks with which a search for a person searches. */
const MOST_TRACKS = 5_000;
const SWEEP_MS = 3_600_000;

/** Groups of faces that look like one person. */
export class People {
  readonly isOn: boolean;
  readonly #deps: PeopleDeps;
  readonly #people: StoredPeople;
  #cancelSweep: (() => void) | undefined;
  /** Number of faces of ended jobs that are not grouped yet. */
  #waiting = 0;
  /** Resolves when people are divided by users who see each other's jobs. */
  #regrouped: Promise<void> | undefined;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
    this.isOn = deps.isOn;
    this.#people = new StoredPeople(deps.store, deps.writer);
  }

  /** True if the faces of this run of the job are already grouped. */
  async isTaken(job: Pick<EndedJob, 'number' | 'run'>): Promise<boolean> {
    return this.#people.read((state) => isTaken(state, job));
  }

  /** Groups the faces of a job. It may be called again, also after an interruption. */
  take(job: EndedJob, found: readonly DocumentFace[]): Promise<void> {
    return this.#takeAll(job, found);
  }

  /** Groups the faces of a segment of a live stream. It may be called again for the same segment. */
  async takeSegment(stream: StreamOfFaces, found: readonly DocumentFace[]): Promise<void> {
    if (found.length > 0) await this.#takeAll({ ...stream, run: STREAM_RUN }, found);
  }

  async #takeAll(job: EndedJob & Pick<JobFaces, 'createdAt'>, found: readonly DocumentFace[]): Promise<void> {
    await this.#regroupOnce();
    const faces = facesInOrder(found);
    const circle = circleOf(job.owner, this.#deps.visibility);
    let left = faces.length;
    const setLeft = (now: number) => {
      this.#waiting += now - left;
      left = now;
    };
    this.#waiting += left;
    try {
      for (let at: number | undefined = 0; at !== undefined; setLeft(faces.length - (at ?? faces.length)))
        at = await this.#takeSome({ ...job, circle, faces }, at);
    } finally {
      setLeft(0);
    }
    // The job was deleted meanwhile.
    if ((await this.#deps.findJob(job.number)) === undefined) await this.#removeJob(job.number);
  }

  /** Returns the position at which to continue. Undefined if nothing is left. */
  #takeSome(job: JobFaces, at: number): Promise<number | undefined> {
    return this.#people.change(async (draft) => {
      const { state } = draft;
      if (job.createdAt === undefined && isTaken(state, job)) return undefined;
      const room = MOST_MEMBERS - state.members.size;
      if (room < FACES_AT_ONCE) return this.#warnOfRoom(job.jobId);
      const end = await this.#takeForAWhile(draft, job, at);
      return end < job.faces.length ? end : undefined;
    });
  }

  /** Adds faces one by one and yields to the event loop in between. Returns the position after the last face. */
  async #takeForAWhile(draft: Draft, job: JobFaces, at: number): Promise<number> {
    const { clock } = this.#deps;
    const making = this.#startMaking();
    const slices = new TimeSlices();
    const most = Math.min(job.faces.length, at + FACES_AT_ONCE);
    const until = clock.steady() + COMMIT_MS;
    let end = takeFaces(draft, job, at, 1, making);
    while (end < most && clock.steady() < until) {
      if (slices.due) await slices.next();
      end = takeFaces(draft, job, end, 1, making);
    }
    return end;
  }

  #warnOfRoom(jobId: string): undefined {
    const { logger } = this.#deps;
    logger.warn({ jobId, most: MOST_MEMBERS }, 'too many faces: those of another job are not grouped');
  }

  /** Removes the faces of a job that was deleted or runs again after this run. Returns false if it must be tried again later. */
  async leave(number: number, run: number): Promise<boolean> {
    try {
      if (await this.#people.isEmpty()) return true;
      if ((await this.#deps.findJob(number)) === undefined) await this.#removeJob(number);
      else await this.#hide(number, run);
      return true;
    } catch (err) {
      this.#deps.logger.warn({ err, job: number }, 'could not remove the faces of a job from the groups');
      return false;
    }
  }

  /** Removes the faces of a live stream that were last seen before this time. */
  async expire(number: number, before: number): Promise<void> {
    if (await this.#people.isEmpty()) return;
    await this.#people.change((draft) => removeOldFaces(draft, number, before));
  }

  #hide(number: number, run: number): Promise<void> {
    return this.#people.change((draft) => {
      const job = draft.state.jobs.get(number);
      if (job !== undefined && job.run <= run && !job.isStale)
        draft.put(jobKey(number), { ...job, isStale: true });
    });
  }

  #removeJob(number: number): Promise<void> {
    return this.#people.change((draft) => {
      if (draft.state.jobs.has(number)) removeJob(draft, number);
    });
  }

  /** Numbers for metrics. Returns undefined if faces are not grouped. */
  async figures(): Promise<PeopleFigures | undefined> {
    if (!this.isOn) return undefined;
    const { people, faces } = await this.#people.read(({ persons, members }) => ({
      people: persons.size,
      faces: members.size,
    }));
    return { people, faces, mostFaces: MOST_MEMBERS, waitingFaces: this.#waiting };
  }

  list(query: PeopleQuery): Promise<PeoplePage> {
    return this.#people.read((state) => pageOfPeople(state, query));
  }

  /** Returns undefined if there is no such person, or none that the user sees. */
  members(query: MembersQuery): Promise<MembersPage | undefined> {
    return this.#people.read((state) => pageOfMembers(state, query));
  }

  /** Number of people in each medium of these jobs. */
  async counts(jobs: readonly number[]): Promise<ReturnType<typeof countPeople>> {
    if (await this.#people.isEmpty()) return new Map();
    return this.#people.read((state) => countPeople(state, jobs));
  }

  /** Tracks of the people with this id or name. */
  tracks(idOrName: string, sight: Sight): Promise<ReturnType<typeof tracksOf>> {
    return this.#people.read((state) => tracksOf(state, idOrName, sight, MOST_TRACKS));
  }

  /** The person of each of these tracks. Null if it has none that the user sees. */
  async ofTracks(tracks: readonly TrackOfRun[], sight: Sight): Promise<readonly (NamedPerson | null)[]> {
    if (tracks.length === 0 || (await this.#people.isEmpty())) return tracks.map(() => null);
    return this.#people.read((state) => personsOf(state, tracks, sight));
  }

  /** Those of these ids whose tracks belonged to a person that was forgotten. */
  async findForgotten(trackIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (trackIds.length === 0 || (await this.#people.isEmpty())) return new Set();
    return this.#people.read(
      (state) => new Set(trackIds.filter((id) => state.apartOf(apartKey(id))?.forgotten === true)),
    );
  }

  /** Null removes the name. */
  rename(id: string, name: string | null, editor: Editor): Promise<Edited> {
    return this.#edit(editor, [id], (draft, [person]) => namePerson(draft, person!, name));
  }

  /** Merges the second person into the first. */
  merge(into: string, from: string, editor: Editor): Promise<Edited> {
    return this.#edit(editor, [into, from], (draft, [one, other]) => mergePeople(draft, one!, other!));
  }

  split(id: string, tracks: readonly TrackPlace[], editor: Editor): Promise<Edited> {
    return this.#edit(editor, [id], (draft, [person]) => {
      const isShown = shownTo(draft.state, editor.sight);
      const shown = shownMembers(draft.state, person!.id, isShown);
      const isThere = (track: TrackPlace) => shown.some((member) => isSame(member, track));
      const unknown = tracks.find((track) => !isThere(track));
      if (unknown !== undefined) return { refusal: 'NO_MEMBER', trackId: unknown.trackId };
      return splitPerson(draft, person!, tracks, this.#startMaking());
    });
  }

  /** Deletes vectors and members. Returns undefined on success. */
  async forget(id: string, editor: Editor): Promise<PersonRefusal | undefined> {
    return this.#people.change((draft) => {
      const found = editable(draft.state, id, editor, 'ALL_JOBS');
      if ('refusal' in found) return found;
      forgetPerson(draft, found);
      return undefined;
    });
  }

  #edit(
    editor: Editor,
    ids: readonly string[],
    edit: (draft: Draft, people: readonly Person[]) => Person | EditRefusal,
  ): Promise<Edited> {
    return this.#people.change((draft) => {
      const found = ids.map((id) => editable(draft.state, id, editor, 'ONE_JOB'));
      const people: Person[] = [];
      for (const one of found)
        if ('refusal' in one) return one;
        else people.push(one);
      const person = edit(draft, people);
      if ('refusal' in person) return person;
      const members = shownMembers(draft.state, person.id, shownTo(draft.state, editor.sight));
      return shownPerson(draft.state, person, members);
    });
  }

  /** Starts the regular cleaning. It finds deleted jobs, and jobs whose last run has no document. */
  wake(): void {
    this.#cancelSweep?.();
    void this.#sweep()
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'could not find the faces of deleted jobs'))
      .finally(() => {
        this.#cancelSweep = this.#deps.clock.after(SWEEP_MS, () => this.wake());
      });
  }

  async #sweep(): Promise<void> {
    if (await this.#people.isEmpty()) return;
    const jobs = await this.#people.read((state) => [...state.jobs].map(([number, { run }]) => ({ number, run }))); // oxfmt-ignore
    for (const { number, run } of jobs) {
      const job = await this.#deps.findJob(number);
      if (job === undefined || hasNewerRun(job, run)) await this.#removeJob(number);
    }
    // A server with another JOB_VISIBILITY may have changed people.
    this.#regrouped = undefined;
    await this.#regroupOnce();
  }

  /** Runs before faces are added to people. After a failure, the next call tries again. */
  async #regroupOnce(): Promise<void> {
    const { visibility, clock } = this.#deps;
    this.#regrouped ??= regroupAll(this.#people, { visibility, now: clock.now(), newId });
    try {
      await this.#regrouped;
    } catch (error) {
      this.#regrouped = undefined;
      throw error;
    }
  }

  close(): void {
    this.#cancelSweep?.();
  }

  #startMaking(): Making {
    return { now: this.#deps.clock.now(), newId };
  }
}

const newId = () => randomBytes(8).toString('hex');

/** The part of People that serves users. */
export type PeopleOfUsers = Omit<
  People,
  'take' | 'takeSegment' | 'isTaken' | 'leave' | 'expire' | 'wake' | 'close' | 'figures'
>;

/** True if a later run has ended without a document. */
const hasNewerRun = ({ status, run, hasDocument }: FoundJob, known: number): boolean =>
  isTerminal(status) && run > known && !hasDocument;

const isSame = (one: TrackPlace, other: TrackPlace): boolean =>
  one.job === other.job && one.mediaId === other.mediaId && one.trackId === other.trackId;

/** Returns the person if the user sees it and owns one, or all, of its jobs. A job without an owner belongs to every user. */
function editable(
  state: PeopleState,
  id: string,
  { sight, isAdmin, user }: Editor,
  owns: 'ONE_JOB' | 'ALL_JOBS',
): Person | PersonRefusal {
  const person = findPerson(state, id);
  const isShown = shownTo(state, sight);
  if (person === undefined || shownMembers(state, person.id, isShown).length === 0)
    return { refusal: 'NO_PERSON', id };
  if (isAdmin) return person;
  const isOwn = (key: string) => {
    const owner = state.jobs.get(state.members.get(key)!.job)?.owner;
    return isSeen(owner, sight) && (owner === undefined || owner.user === user);
  };
  const keys = state.membersOf(person.id);
  const isGranted = owns === 'ALL_JOBS' ? keys.every(isOwn) : keys.some(isOwn);
  return isGranted ? person : { refusal: 'FOREIGN', id };
}
