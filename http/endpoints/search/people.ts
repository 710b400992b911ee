import { z } from 'zod';
import type { PeopleOfUsers, PersonRefusal } from '../../../actors/people/people.ts';
import type { ShownMember, ShownPerson } from '../../../actors/people/views.ts';
import { ownerOf } from '../../../domain/users/owner.ts';
import { isAdmin, noteMissingRole, userOf } from '../../access/bearer.ts';
import { json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import {
  peopleCursor,
  peoplePage,
  peopleQuery,
  person,
  personChange,
  personId,
  personMerge,
  personPage,
  personQuery,
  personSplit,
  trackCursor,
} from '../../schemas/search/people.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { streamOf } from './search.ts';
import type { Context } from 'koa';

export interface PeopleDeps {
  readonly people: PeopleOfUsers;
}

const COMMON = { tag: 'People', caller: 'USER', jobs: 'LIST' } as const;
const params = z.object({ id: personId });
const NO_PERSON = sentence('There is no such person, or none in jobs that you may see.');
const FOREIGN = sentence('The person is in jobs of other users.');
const FACE: z.output<typeof person>['face'] = {
  jobId: 'host-12',
  mediaId: 31,
  mediaUri: 'file:///media/party.mp4',
  mediaType: 'VIDEO',
  trackId: '3b1f4c9bd8a2f4e7c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f',
  startOffsetFrame: 50,
  stopOffsetFrame: 349,
  startOffsetTime: 2_000,
  stopOffsetTime: 13_960,
  stream: null,
  confidence: 0.98,
  frame: 260,
  box: { x: 640, y: 210, width: 96, height: 120 },
  width: 1_920,
  height: 1_080,
  frameUrl: '/rest/jobs/host-12/media/31/frames/260.jpg',
};
const ANNA: z.output<typeof person> = {
  id: '5c0e7a1b9d2f4836',
  name: 'Anna',
  created: '2026-03-01T09:31:00.000Z',
  model: 'face-recognition@1',
  ...{ tracks: 4, media: 2, jobs: 2 },
  face: FACE,
};
const EDITED = json('The person after the change.', person, ANNA);

/** The people in the media of all jobs (not in the specification). */
export const peopleEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/people',
    id: 'listPeople',
    summary: 'List people',
    description:
      'Faces that look alike over all jobs, as FACE EMBEDDING found them. You see a person, with name and counts, if it is in a job that you may see; the counts are those of these jobs.',
    query: peopleQuery,
    answers: {
      200: json('A page of people.', peoplePage, {
        people: [ANNA],
        ...{ total: 3, next: '4_5c0e7a1b9d2f4836', grouping: true, complete: true },
      }),
      400: sentence('A part of the query is wrong.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query: { cursor, ...query }, ctx }, { people, jobAccess }: PeopleDeps & JobGuard) {
      const page = await people.list({
        ...query,
        sight: jobAccess.sight(ctx),
        cursor: cursor === undefined ? undefined : peopleCursor.read(cursor),
      });
      return ok({
        people: page.people.map(toPerson),
        total: page.total,
        next: page.next && peopleCursor.textOf(page.next),
        grouping: people.isOn,
        complete: page.isWhole,
      });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/people/{id}',
    id: 'getPerson',
    summary: 'Get a person, and where the person is seen',
    description: 'The id of a person that was merged into another one answers the other one.',
    params,
    query: personQuery,
    answers: {
      200: json('The person.', personPage, { person: ANNA, tracks: [FACE], next: '12_31_50_3b1f4c9bd8a2' }),
      400: sentence('A part of the path or the query is wrong.'),
      404: NO_PERSON,
    },
    async handle(
      { params: { id }, query: { limit, cursor }, ctx },
      { people, jobAccess }: PeopleDeps & JobGuard,
    ) {
      const page = await people.members({
        ...{ id, limit, sight: jobAccess.sight(ctx) },
        cursor: cursor === undefined ? undefined : trackCursor.read(cursor),
      });
      if (page === undefined) throw noPerson(id);
      const next = page.next && trackCursor.textOf(page.next);
      return ok({ person: toPerson(page.person), tracks: page.members.map(toOccurrence), next });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'patch',
    path: '/rest/people/{id}',
    id: 'namePerson',
    summary: 'Name a person',
    description: 'Needs a job of your own that shows the person, or the role ADMIN.',
    params,
    body: { schema: personChange, example: { name: 'Anna' } },
    answers: {
      200: EDITED,
      400: sentence('The name is wrong.'),
      403: FOREIGN,
      404: NO_PERSON,
    },
    async handle({ params: { id }, body, ctx }, { people, jobAccess }: PeopleDeps & JobGuard) {
      return ok(personOf(await people.rename(id, body.name, editorOf(ctx, jobAccess)), ctx));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/people/{id}/merge',
    id: 'mergePeople',
    summary: 'Merge another person into this one',
    description:
      'The id of the other person then leads to this one. This person keeps its name, or gets the name of the other if it has none. Needs a job of your own with each of them, or the role ADMIN.',
    params,
    body: { schema: personMerge, example: { person: '91d0b7c4e2a85f63' } },
    answers: {
      200: EDITED,
      400: sentence('The body is wrong, or both ids mean one person.'),
      403: FOREIGN,
      404: NO_PERSON,
      409: sentence('The models of the two differ, or the users who see their jobs.'),
    },
    async handle({ params: { id }, body, ctx }, { people, jobAccess }: PeopleDeps & JobGuard) {
      return ok(personOf(await people.merge(id, body.person, editorOf(ctx, jobAccess)), ctx));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/people/{id}/split',
    id: 'splitPerson',
    summary: 'Move tracks that show another person to a new one',
    description:
      'Returns the new person. Later jobs do not put these tracks back. Needs a job of your own that shows the person, or the role ADMIN.',
    params,
    body: {
      schema: personSplit,
      example: { tracks: [{ jobId: FACE.jobId, mediaId: FACE.mediaId, trackId: FACE.trackId }] },
    },
    answers: {
      200: json('The new person.', person, { ...ANNA, id: '91d0b7c4e2a85f63', name: null, tracks: 1 }),
      400: sentence('The body is wrong.'),
      403: FOREIGN,
      404: sentence('There is no such person, or it does not have one of the tracks.'),
      409: sentence('The person would have no tracks left.'),
    },
    async handle({ params: { id }, body, ctx }, { people, jobAccess }: PeopleDeps & JobGuard) {
      const tracks = body.tracks.map(({ jobId: job, ...track }) => ({ job, ...track }));
      return ok(personOf(await people.split(id, tracks, editorOf(ctx, jobAccess)), ctx));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/people/{id}',
    id: 'forgetPerson',
    summary: 'Forget a person',
    description:
      'Deletes the group with its name and its copies of the vectors. Its tracks join no group again, and are not found as similar ones. The documents of the jobs keep their vectors: delete the jobs to delete these. You must own all jobs that show the person, or have the role ADMIN.',
    params,
    answers: { 204: nothing('The group is deleted.'), 403: FOREIGN, 404: NO_PERSON },
    async handle({ params: { id }, ctx }, { people, jobAccess }: PeopleDeps & JobGuard) {
      const refused = await people.forget(id, editorOf(ctx, jobAccess));
      if (refused !== undefined) throw refusalOf(refused, ctx);
      return withoutBody(204);
    },
  }),
];

const editorOf = (ctx: Context, jobAccess: JobGuard['jobAccess']) => ({
  sight: jobAccess.sight(ctx),
  isAdmin: isAdmin(ctx),
  user: ownerOf(userOf(ctx))?.user,
});

function personOf(answer: ShownPerson | PersonRefusal, ctx: Context): z.output<typeof person> {
  if ('refusal' in answer) throw refusalOf(answer, ctx);
  return toPerson(answer);
}

function refusalOf(refused: PersonRefusal, ctx: Context): HttpError {
  switch (refused.refusal) {
    case 'NO_PERSON':
      return noPerson(refused.id);
    case 'FOREIGN':
      noteMissingRole(ctx, FOREIGN_PERSON);
      return new HttpError('person-of-others', FOREIGN_PERSON);
    case 'SAME':
      return new HttpError('person-merged-with-itself', 'Both ids mean the same person. Name another one.');
    case 'MODELS':
    case 'CIRCLES':
      return new HttpError('people-not-comparable', NOT_COMPARABLE[refused.refusal]);
    case 'ALL_TRACKS':
      return new HttpError('person-without-tracks', 'A split must leave the person at least one track.');
    case 'NO_MEMBER':
      return new HttpError(
        'track-of-no-person',
        `The person has no track "${refused.trackId}" in this medium of this job. Take the ids from GET /rest/people/{id}.`,
      );
  }
}

const FOREIGN_PERSON =
  'The person is in jobs of other users. To name, merge or split it, you need a job of your own with it. To forget it, you must own all of them. An ADMIN can do all of this.';
const NOT_COMPARABLE = {
  MODELS: 'The vectors of the two people are of different models, so they cannot be one group.',
  CIRCLES: 'The two people are in jobs of users who do not see each other’s jobs (JOB_VISIBILITY).',
};

const noPerson = (id: string) => notThere('person', id, '/rest/people');

const toPerson = ({ created, best, ...shown }: ShownPerson): z.output<typeof person> => ({
  ...shown,
  created: new Date(created).toISOString(),
  face: toOccurrence(best),
});

function toOccurrence(member: ShownMember): z.output<typeof person>['face'] {
  const { jobId, mediaId, mediaType, frame, startFrame, stopFrame, startMs, stopMs } = member;
  const { mediaUri, trackId, confidence, width, height, box, createdAt } = member;
  return {
    ...{ jobId, mediaId, mediaUri, mediaType, trackId, confidence, frame, width, height },
    box: { x: box.x, y: box.y, width: box.width, height: box.height },
    startOffsetFrame: startFrame,
    stopOffsetFrame: stopFrame,
    startOffsetTime: startMs,
    stopOffsetTime: stopMs,
    stream: createdAt === undefined ? null : streamOf({ uri: mediaUri, createdAt, startMs, stopMs }),
    frameUrl: frameUrlOf(member),
  };
}

function frameUrlOf({ jobId, mediaId, mediaType, frame, createdAt }: ShownMember): string {
  const id = encodeURIComponent(jobId);
  if (createdAt !== undefined) return `/rest/streaming/jobs/${id}/recordings/snapshot.jpg?frame=${frame}`;
  return `/rest/jobs/${id}/media/${mediaId}/frames/${mediaType === 'IMAGE' ? 0 : frame}.jpg`;
}
