/** `troupe people ...`: groups of faces that look like one person. */
import type { Command } from 'commander';
import type { Occurrence, PeoplePage, Person, PersonPage } from '../../../../client/answers.ts';
import { isTimed, timeText } from '../../../render/tables.ts';
import type { Column } from '../../../terminal/columns.ts';
import { Failure } from '../../../terminal/failure.ts';
import { baseName } from '../../../terminal/names.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, segment, show, tableOr, whole, withQuery, type RestOptions } from '../command.ts';

interface ListOptions extends RestOptions {
  readonly name?: string;
  readonly job?: string;
  readonly limit: number;
}

const PATH = '/rest/people';
const MOST = 500;
const ONE_PERSON: Readonly<Record<number, string>> = {
  404: 'There is no such person, or none in jobs that you may see. `troupe people list` shows all.',
};

const COLUMNS: readonly Column<Person>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name ?? '', flexible: true },
  { title: 'TRACKS', of: ({ tracks }) => String(tracks), right: true },
  { title: 'MEDIA', of: ({ media }) => String(media), right: true },
  { title: 'SEEN IN', of: ({ face }) => baseName(face.mediaUri), flexible: true },
];

const TRACKS: readonly Column<Occurrence>[] = [
  { title: 'JOB', of: ({ jobId }) => jobId },
  { title: 'MEDIUM', of: ({ mediaUri }) => baseName(mediaUri), flexible: true },
  { title: 'WHERE', of: whereOf },
  { title: 'TRACK', of: ({ jobId, mediaId, trackId }) => `${jobId}/${mediaId}/${trackId}`, flexible: true },
];

export function peopleCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('people')
    .description('people whom FACE EMBEDDING found: list, show, name, merge, split, forget');
  readingCommands(group, terminal);
  changingCommands(group, terminal);
}

function readingCommands(group: Command, terminal: Terminal): void {
  askCommand(group, 'list', 'list people, those with most tracks first', { isDefault: true })
    .option('--name <TEXT>', 'only people with this in their name')
    .option('--job <ID>', 'only people in this job')
    .option('--limit <NUMBER>', 'people at most', whole(1, MOST), 50)
    .action(({ name, job, limit, ...options }: ListOptions) => {
      const path = withQuery(PATH, { name, job, limit });
      return show<PeoplePage>(terminal, options, { method: 'GET', path }, { lines: listLines(terminal) });
    });
  askCommand(group, 'show <ID>', 'show where a person is seen')
    .option('--limit <NUMBER>', 'tracks at most', whole(1, MOST), 50)
    .action((id: string, { limit, ...options }: ListOptions) => {
      const path = withQuery(pathOf(id), { limit });
      return show<PersonPage>(
        terminal,
        options,
        { method: 'GET', path },
        { lines: (page) => personLines(page, terminal), refusals: ONE_PERSON },
      );
    });
}

function changingCommands(group: Command, terminal: Terminal): void {
  const change = (options: RestOptions, call: Change, said: (person: Person) => string) =>
    show<Person>(
      terminal,
      options,
      { ...call, body: JSON.stringify(call.body) },
      { lines: (person) => [said(person)] },
    );
  askCommand(group, 'name <ID> [NAME]', 'name a person; without NAME, remove the name').action(
    (id: string, name: string | undefined, options: RestOptions) =>
      change(options, { method: 'PATCH', path: pathOf(id), body: { name: name ?? null } }, ({ name: now }) =>
        now === null ? `Person ${id} has no name now.` : `Person ${id} is ${now} now.`,
      ),
  );
  askCommand(group, 'merge <ID> <OTHER>', 'make the other person a part of this one').action(
    (id: string, other: string, options: RestOptions) =>
      change(
        options,
        { method: 'POST', path: `${pathOf(id)}/merge`, body: { person: other } },
        (person) => `Person ${person.id} has ${tracksText(person)} now.`,
      ),
  );
  askCommand(group, 'split <ID> <TRACK...>', 'make a person of tracks (JOB/MEDIA/TRACK of show)').action(
    (id: string, tracks: readonly string[], options: RestOptions) =>
      change(
        options,
        { method: 'POST', path: `${pathOf(id)}/split`, body: { tracks: tracks.map(track) } },
        (person) => `Person ${person.id} was made of ${tracksText(person)}.`,
      ),
  );
  askCommand(group, 'forget <ID>', 'delete a person with name, group and vectors of the group').action(
    (id: string, options: RestOptions) =>
      show(
        terminal,
        options,
        { method: 'DELETE', path: pathOf(id) },
        { lines: () => [`Person ${id} was forgotten.`] },
      ),
  );
}

interface Change {
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body: object;
}

const pathOf = (id: string): string => `${PATH}/${segment(id)}`;

const listLines =
  (terminal: Terminal) =>
  ({ people, total, grouping }: PeoplePage): readonly string[] => [
    ...tableOr('Nobody was found.', COLUMNS, people, terminal),
    ...(total > people.length ? [`${total - people.length} more: --limit shows them.`] : []),
    ...(grouping ? [] : ['New faces are not grouped: FACE_EMBEDDING or SEARCH is false on the server.']),
  ];

const personLines = ({ person, tracks, next }: PersonPage, terminal: Terminal): readonly string[] => [
  `${person.name ?? 'No name'}: ${tracksText(person)} in ${person.media} media`,
  ...tableOr('', TRACKS, tracks, terminal),
  ...(next === null ? [] : ['There is more: --limit shows it.']),
];

/** Time in the medium, or when a camera saw the person. */
function whereOf({ mediaType, startOffsetTime, stream }: Occurrence): string {
  // An older service does not report streams.
  const seen = stream?.startDate;
  if (seen !== undefined) return seen;
  return isTimed(mediaType) ? timeText(startOffsetTime) : '';
}

const tracksText = ({ tracks }: Person): string => (tracks === 1 ? '1 track' : `${tracks} tracks`);

/** Parses the name of a track. @throws Failure */
function track(text: string) {
  const [, jobId, mediaId, trackId] = /^([^/]+)\/(-?\d{1,15})\/(.+)$/.exec(text) ?? [];
  if (jobId === undefined || mediaId === undefined || trackId === undefined)
    throw new Failure(`${text} is no track. Write JOB/MEDIA/TRACK, as \`troupe people show\` lists them.`);
  return { jobId, mediaId: Number(mediaId), trackId };
}
