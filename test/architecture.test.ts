/** Checks the imports of the product against the table of allowed imports in test/house/rooms.ts. */
import { expect } from 'chai';
import { comparedSentences, FOREIGN_SENTENCES } from './house/compared-sentences.ts';
import { betweenRooms, circles, objectionToRoom } from './house/imports-between-rooms.ts';
import { BY_TYPE, FOLDERS, GROUND, MAY_IMPORT, ROOMS, ROOTS, type Folder } from './house/rooms.ts';
import { readSources } from './house/sources.ts';
import { importsOf, type Import } from './support/imports.ts';

/** Pure rules that a store backend uses. */
const PURE: readonly string[] = [
  'store/leases.ts',
  'store/turns/turn-queue.ts',
  'store/turns/level.ts',
  'store/turns/fair-order.ts',
];
/**
 * Files that connect the decisions of an actor with a store, files, processes and other actors, in addition
 * to `actor.ts`. All other files in these folders contain decisions.
 */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  admission: ['shared-figures.ts', 'waiting-turns.ts'],
  'batch-job': [
    'completion/archive-checks.ts',
    'completion/cleanup.ts',
    'completion/data-uris.ts',
    'failures/failure-groups.ts',
    'life-cycle/work-news.ts',
    'poisoned-job.ts',
    'state/stored-job.ts',
  ],
  'streaming-job': [
    'recordings/recording-store.ts',
    'live.ts',
    'reports/report-files.ts',
    'reports/report-queues.ts',
    'reports/reports.ts',
    'stored-stream.ts',
    'work-news.ts',
  ],
  catalog: ['descriptors/find-components.ts', 'external-components.ts'],
  delivery: ['deliverer.ts', 'outbox-check.ts'],
  operations: ['actions.ts', 'runner.ts', 'service.ts', 'stored-operation.ts', 'views.ts'],
  dispatcher: ['pending-claims.ts'],
  'node-configuration': [],
  'node-manager': [
    'installed-components.ts',
    'local-services.ts',
    'node-report.ts',
    'node-state.ts',
    'tokens.ts',
  ],
  pauses: ['pauses.ts'],
  service: ['memory.ts'],
  'system-messages': ['disk-watch.ts', 'condition-messages.ts', 'service.ts'],
};
/** Folders below actors/ without actors. */
const NO_ACTORS: readonly string[] = [
  ...[
    'audit',
    'basics',
    'cluster',
    'findings',
    'people',
    'frames',
    'guardian',
    'job-files',
    'job-service',
    'node-gateway',
    'requests',
    'runtime',
  ],
  ...['search', 'sessions', 'streaming-service', 'uploads', 'upkeep', 'views', 'worker-gateway'],
];

/** Whether a file contains decisions of an actor. */
function decides(file: string): boolean {
  const [top, folder = '', ...rest] = file.split('/');
  const around = AROUND[folder];
  if (top !== 'actors' || rest.length === 0 || around === undefined) return false;
  return rest.join('/') !== 'actor.ts' && !around.includes(rest.join('/'));
}

const folderOf = (file: string): Folder =>
  file.includes('/') ? (file.slice(0, file.indexOf('/')) as Folder) : (file as Folder);

/** The reason why an import is not allowed, or undefined. */
export function objection({ file, target, ours, typeOnly }: Import): string | undefined {
  const from = folderOf(file);
  if (!ours) {
    if (target === 'comedy' && file !== 'actors/runtime/comedy-tree.ts')
      return `${file} imports comedy; only actors/runtime/comedy-tree.ts may.`;
    if (target === 'better-sqlite3' && !/^(store\/sqlite|search\/sqlite|results\/timeline)\//.test(file))
      return `${file} imports better-sqlite3; only store/sqlite/, search/sqlite/ and results/timeline/ may.`;
    if (from === 'page' && !typeOnly && !/^(preact(\/|$)|uplot$|@tanstack\/virtual-core$)/.test(target))
      return `${file} imports ${target}; the page has no packages but preact, uplot and virtual-core.`;
    if (from === 'domain' && target !== 'node:crypto' && target.startsWith('node:'))
      return `${file} imports ${target}; domain/ is functions of data to data and does no I/O.`;
    return undefined;
  }
  const to = folderOf(target);
  if (to === ('test' as Folder)) return `${file} imports ${target}: the product must not use test code.`;
  if (ROOTS.includes(from) || to === from) return undefined;
  if (from === 'page')
    return typeOnly && target.startsWith('http/schemas/')
      ? undefined
      : `${file} imports ${target}; page/ runs in a browser and knows of the server only the types of http/schemas/.`;
  if (GROUND.includes(to) || (typeOnly && BY_TYPE.includes(target))) return undefined;
  if (/^(store|search)\/[^/]+\//.test(target))
    return `${file} imports ${target}; a backend of the store is known to server/ alone.`;
  if (MAY_IMPORT[from].includes(to)) return undefined;
  const allowed = MAY_IMPORT[from].map((folder) => `${folder}/`).join(', ');
  return `${file} imports ${target}; ${from}/ may import ${allowed === '' ? 'nothing of ours but types' : `only ${allowed} and types`}.`;
}

const { texts, imports } = readSources();

describe('The architecture', () => {
  for (const folder of ['main.ts', ...FOLDERS])
    it(`is kept by the imports of ${folder}`, () => {
      const found = imports.filter(({ file }) => folderOf(file) === folder).map(objection);
      expect(found.filter((sentence) => sentence !== undefined)).to.deep.equal([]);
    });

  for (const folder of Object.keys(ROOMS))
    it(`has no import upward in ${folder}`, () => {
      const found = betweenRooms(folder, imports).map(objectionToRoom);
      expect(found.filter((sentence) => sentence !== undefined)).to.deep.equal([]);
    });

  it('has every import lead to a file that exists', () => {
    const lost = imports.filter(
      ({ ours, target }) => ours && !texts.has(target) && !target.endsWith('.d.ts'),
    );
    expect(lost.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
  });

  it('has no circles of files, types included: each can be read without the one that uses it', () => {
    expect(circles(imports.filter(({ ours, target }) => ours && texts.has(target)))).to.deep.equal([]);
  });

  it('finds circles where there are some', () => {
    const one = (file: string, target: string) => ({
      file,
      target,
      ours: true,
      typeOnly: false,
      lazy: false,
    });
    expect(circles([one('a', 'b'), one('b', 'c'), one('c', 'b'), one('c', 'd')])).to.deep.equal([
      'b -> c -> b',
    ]);
  });

  it('has a ground floor that depends on nothing but itself', () => {
    const own = imports.filter(
      ({ file, target, ours }) =>
        ours && GROUND.includes(folderOf(file)) && !GROUND.includes(folderOf(target)),
    );
    expect(own.map(({ file, target }) => `${file} imports ${target}`)).to.deep.equal([]);
  });

  it('has process.env read by config/ alone', () => {
    const readers = [...texts].filter(
      ([file, text]) => folderOf(file) !== 'config' && /\bprocess\s*\.\s*env\b|\bprocess\[['"]env/.test(text),
    );
    expect(readers.map(([file]) => `${file} reads process.env; settings come from config/.`)).to.deep.equal(
      [],
    );
  });

  it('never compares a sentence in code: errors carry codes', () => {
    const found = [...texts].flatMap(([file, text]) =>
      file in FOREIGN_SENTENCES
        ? []
        : comparedSentences(text).map(
            (line) => `${file} compares a sentence (${line}); give the error a code and compare that.`,
          ),
    );
    expect(found).to.deep.equal([]);
    const useless = Object.keys(FOREIGN_SENTENCES).filter(
      (file) => comparedSentences(texts.get(file) ?? '').length === 0,
    );
    expect(useless, 'exceptions that nothing needs').to.deep.equal([]);
  });

  it('has the decisions of actors without clock, random or I/O', () => {
    const pure = [...texts].filter(
      ([file]) => decides(file) || file.startsWith('domain/') || PURE.includes(file),
    );
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(?:UUID|Bytes)\b|\bperformance\.now\b|\bsetTimeout\b|\bawait\b/;
    expect(pure.length).to.be.greaterThan(100);
    expect(
      pure.filter(([, text]) => impure.test(text)).map(([file]) => `${file} is not pure.`),
    ).to.deep.equal([]);
  });

  it('knows which folders below actors/ are actors, and which of their files do things', () => {
    const folders = new Set(
      [...texts.keys()].flatMap((file) => /^actors\/([^/]+)\//.exec(file)?.slice(1) ?? []),
    );
    expect([...Object.keys(AROUND), ...NO_ACTORS]).to.have.members([...folders]);
    const named = Object.entries(AROUND).flatMap(([folder, files]) =>
      ['actor.ts', ...files].map((file) => `actors/${folder}/${file}`),
    );
    expect(named.filter((file) => !texts.has(file))).to.deep.equal([]);
  });

  describe('is guarded by a test that', () => {
    const judge = (file: string, line: string) => importsOf(file, line).map(objection);

    it('objects to what the map forbids', () => {
      for (const [file, line] of [
        ['store/store.ts', "import { x } from '../actors/upkeep/reconcile.ts';"],
        ['actors/upkeep/reconcile.ts', "import type { x } from '../../http/app.ts';"],
        ['actors/upkeep/reconcile.ts', "import {\n  a,\n  b,\n} from '../../store/sqlite/sqlite-store.ts';"],
        ['domain/plan.ts', "export { x } from '../results/spool.ts';"],
        ['domain/plan.ts', "import { readFileSync } from 'node:fs';"],
        ['http/app.ts', "const x = await import('../store/store.ts');"],
        ['http/app.ts', "import '../media/sound/audio.ts';"],
        ['actors/upkeep/reconcile.ts', "import { makeLogger } from '../../config/logger.ts';"],
        ['actors/runtime/cell.ts', "import comedy from 'comedy';"],
        ['main.ts', "import { until } from './test/support/until.ts';"],
        ['page/app.tsx', "import { words } from '../domain/text/words.ts';"],
        ['page/app.tsx', "import fs from 'node:fs';"],
        ['client/watch.ts', "import { Failure } from '../cli/terminal/failure.ts';"],
        ['client/watch.ts', "import { jobPage } from '../http/schemas/jobs/job-list.ts';"],
        ['http/pages/page.ts', "import { App } from '../../page/app.tsx';"],
      ] as const)
        expect(judge(file, line), line)
          .to.have.lengthOf(1)
          .and.satisfy(([sentence]: readonly (string | undefined)[]) => sentence !== undefined);
    });

    it('objects to an import from a room above', () => {
      const judgeRoom = (file: string, line: string) =>
        betweenRooms('actors', importsOf(file, line)).map(objectionToRoom);
      const up = judgeRoom('actors/batch-job/actor.ts', "import { x } from '../views/jobs/jobs.ts';");
      expect(up).to.have.lengthOf(1);
      expect(up[0]).to.include('upward').and.include('actors/batch-job/').and.include('test/house/rooms.ts');
      const down = judgeRoom(
        'actors/views/jobs/jobs.ts',
        "import { x } from '../../batch-job/state/keys.ts';",
      );
      expect(down).to.deep.equal([undefined]);
    });

    it('finds sentences that are compared', () => {
      for (const line of [
        "if (error.message === 'The job is gone.') return;",
        "if ('no such job' === error.message) return;",
        "return error.message.includes('gone');",
        'return error.message?.startsWith(`gone`);',
        'return /gone/.test(error.message);',
        'return GONE.test(message);',
        'return GONE.exec(messageOf(error));',
        "stop(why === 'The lease was lost.' ? 'lost' : 'cancelled');",
      ])
        expect(comparedSentences(line), line).to.deep.equal([line]);
      for (const line of [
        "if (error.message === '') return;",
        "if (message === 'next') return;",
        'if (message !== undefined) return;',
        "if (error.code === 'LATE') return;",
        "throw new Error('The job is gone.');",
        "if (status === 'IN PROGRESS') return;",
      ])
        expect(comparedSentences(line), line).to.deep.equal([]);
    });

    it('and lets pass what it allows', () => {
      for (const [file, line] of [
        ['server/open-store.ts', "import { SqliteStore } from '../store/sqlite/sqlite-store.ts';"],
        ['cli/service/serve.ts', "import { startServer } from '../../main.ts';"],
        ['actors/upkeep/reconcile.ts', "import type { Store } from '../../store/store.ts';"],
        ['actors/upkeep/reconcile.ts', "import { type Logger } from '../../config/logger.ts';"],
        ['page/jobs/types.ts', "import type { jobPage } from '../../http/schemas/job-list.ts';"],
        ['page/app.tsx', "import { useState } from 'preact/hooks';"],
        ['media/sound/audio.ts', "import type { Range } from '../../domain/types.ts';"],
        ['actors/runtime/comedy-tree.ts', "import comedy from 'comedy';"],
      ] as const)
        expect(judge(file, line), line).to.deep.equal([undefined]);
    });
  });
});
