/** `troupe pipelines|tasks|actions|algorithms ...` (specification 4.7). All four groups have the same commands. */
import type { Pipeline, Task, Action, Algorithm, PipelineName } from '../../../client/answers.ts';
import type { Command } from 'commander';
import { factLines, Table, type Column } from '../../terminal/columns.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  command,
  readCommand,
  segment,
  show,
  tableOr,
  textOf,
  warningLines,
  type RestOptions,
} from './command.ts';

interface Kind<T extends PipelineName> {
  /** Name in the path. */
  readonly many: string;
  readonly one: string;
  readonly columns: readonly Column<T>[];
  readonly lines: (element: T, terminal: Terminal) => readonly string[];
}

const NAME = { title: 'NAME', of: ({ name }: PipelineName) => name } as const;
const DESCRIPTION = {
  title: 'DESCRIPTION',
  of: ({ description }: PipelineName) => description,
  flexible: true,
} as const;
const batchOrStream = (algorithm: Algorithm) =>
  [algorithm.supportsBatchProcessing ? 'batch' : '', algorithm.supportsStreamProcessing ? 'stream' : '']
    .filter((word) => word !== '')
    .join(', ');

const PIPELINES: Kind<Pipeline> = {
  many: 'pipelines',
  one: 'pipeline',
  columns: [NAME, DESCRIPTION],
  lines: ({ name, description, tasks }) =>
    factLines({ Pipeline: name, Description: description, Tasks: tasks }),
};
const TASKS: Kind<Task> = {
  many: 'tasks',
  one: 'task',
  columns: [NAME, DESCRIPTION],
  lines: ({ name, description, actions }) =>
    factLines({ Task: name, Description: description, Actions: actions }),
};
const ACTIONS: Kind<Action> = {
  many: 'actions',
  one: 'action',
  columns: [NAME, { title: 'ALGORITHM', of: ({ algorithm }) => algorithm }, DESCRIPTION],
  lines: ({ name, description, algorithm, properties }) =>
    factLines({
      Action: name,
      Description: description,
      Algorithm: algorithm,
      Properties: properties.map((property) => `${property.name}=${property.value}`),
    }),
};
const ALGORITHMS: Kind<Algorithm> = {
  many: 'algorithms',
  one: 'algorithm',
  columns: [
    NAME,
    { title: 'TYPE', of: ({ actionType }) => actionType },
    { title: 'PROCESSES', of: batchOrStream },
    DESCRIPTION,
  ],
  lines: algorithmLines,
};

export function catalogCommands(program: Command, terminal: Terminal): void {
  changeable(program, terminal, PIPELINES);
  changeable(program, terminal, TASKS);
  changeable(program, terminal, ACTIONS);
  readable(program, terminal, ALGORITHMS);
}

function readable<T extends PipelineName>(program: Command, terminal: Terminal, kind: Kind<T>): Command {
  const { many, one, columns, lines } = kind;
  const verbs = one === 'algorithm' ? 'list, show' : 'list, show, create, delete';
  const group = program.command(many).description(`${many}: ${verbs}`);
  readCommand<readonly T[]>(group, terminal, 'list', `list the ${many}`, `/rest/${many}`, {
    lines: (all) => tableOr(`There are no ${many}.`, columns, all, terminal),
  });
  readCommand<T>(
    group,
    terminal,
    'show <NAME>',
    `show one ${one}`,
    (name) => `/rest/${many}/${segment(name)}?details=true`,
    (name) => ({
      lines: (element) => [...lines(element, terminal), ...warningLines(element)],
      refusals: { 404: `There is no ${one} ${name}: troupe ${many} list shows all.` },
    }),
  );
  return group;
}

function changeable<T extends PipelineName>(program: Command, terminal: Terminal, kind: Kind<T>): void {
  const { many, one } = kind;
  const group = readable(program, terminal, kind);
  command(group, 'create <FILE>', `store one ${one}: a JSON file, or - for standard input`).action(
    async (file: string, options: RestOptions) => {
      const path = `/rest/${many}?details=true`;
      const call = { method: 'POST', path, body: await textOf(file) } as const;
      await show(terminal, options, call, {
        lines: (stored) => [`The ${one} is stored.`, ...warningLines(stored)],
      });
    },
  );
  command(group, 'delete <NAME>', `delete one ${one}; no error if it does not exist`).action(
    (name: string, options: RestOptions) => {
      const call = { method: 'DELETE', path: `/rest/${many}/${segment(name)}` } as const;
      return show(terminal, options, call, { lines: () => [`The ${one} ${name} was deleted.`] });
    },
  );
}

function algorithmLines(algorithm: Algorithm, terminal: Terminal): readonly string[] {
  const { properties, states } = algorithm.providesCollection;
  const table = new Table<(typeof properties)[number]>(
    [
      { title: 'PROPERTY', of: ({ name }) => name },
      { title: 'TYPE', of: ({ type }) => type },
      { title: 'DEFAULT', of: ({ defaultValue }) => defaultValue ?? '' },
      { title: 'DESCRIPTION', of: ({ description }) => description, flexible: true },
    ],
    terminal.width,
  );
  const facts = factLines({
    Algorithm: algorithm.name,
    Description: algorithm.description,
    Type: algorithm.actionType,
    Processes: batchOrStream(algorithm),
    Requires: algorithm.requiresCollection?.states,
    Provides: states,
  });
  return properties.length === 0 ? facts : [...facts, '', ...table.lines(properties)];
}
