/** Reads the import lines of the product and holds them against the map in docs/architecture.md: who may import whom. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importsOf, type Import } from './support/imports.ts';

const FOLDERS = [
  'actors',
  'http',
  'store',
  'config',
  'domain',
  'protocol',
  'media',
  'node',
  'results',
  'egress',
  'components',
  'processes',
  'page',
  'search',
  'server',
  'cli',
] as const;
type Folder = (typeof FOLDERS)[number] | 'main.ts';

/** The ground floor: rules and words that everybody may use. */
const GROUND: readonly Folder[] = ['domain', 'protocol'];

/** They put everything together. */
const ROOTS: readonly Folder[] = ['main.ts', 'server', 'cli'];

/**
 * Folders whose code a folder may use besides its own and the ground floor. `store` is the contract: its backends are only put
 * together in server/.
 */
const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  'main.ts': FOLDERS,
  server: FOLDERS,
  cli: ['main.ts', ...FOLDERS],
  // The login asks the provider.
  http: ['actors', 'config', 'egress'],
  // The root of a node on another host.
  node: ['actors', 'components', 'config', 'egress', 'processes', 'results'],
  actors: ['store', 'results', 'processes'],
  // Model servers are asked by the rules of callbacks.
  components: ['media', 'results', 'egress'],
  domain: [],
  protocol: [],
  // The rules about addresses, once for everything that is asked for.
  media: ['egress'],
  results: [],
  egress: [],
  processes: [],
  config: [],
  store: [],
  // It runs in a browser.
  page: [],
  // Backends of the search, whose contract is the store's.
  search: ['store', 'results'],
};

/** What is known by its type alone: what is handed in from outside, and the detector's interface that readers of media serve. */
const BY_TYPE: readonly string[] = [
  'config/logger.ts',
  'config/settings.ts',
  'components/sdk/detector.ts',
  'egress/request.ts',
];

/** Rules that a backend of the store goes by. */
const PURE: readonly string[] = ['store/leases.ts', 'store/turn-queue.ts'];
/**
 * What surrounds the decisions of actors with a store, files, processes and other actors, beside `actor.ts`; all else in their folders
 * decides. Folders of services to the edge are not among them.
 */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  admission: [],
  'batch-job': [
    'acceptance.ts',
    'archive-checks.ts',
    'cleanup.ts',
    'data-uris.ts',
    'dry-run.ts',
    'idempotency.ts',
    'job-service.ts',
    'request-checks.ts',
    'request-media.ts',
    'request-models.ts',
    'request-plan.ts',
    'request-properties.ts',
    'work-news.ts',
  ],
  'streaming-job': [
    'job-service.ts',
    'live.ts',
    'register.ts',
    'report-files.ts',
    'report-queues.ts',
    'reports.ts',
    'work-news.ts',
  ],
  catalog: ['installed.ts', 'outside.ts'],
  delivery: ['deliverer.ts', 'still-in-outbox.ts'],
  dispatcher: ['waiters.ts'],
  'node-configuration': [],
  'node-manager': ['installed.ts', 'local-services.ts', 'node-report.ts', 'node-state.ts', 'tokens.ts'],
  service: ['memory.ts'],
  'system-messages': ['lasting-messages.ts', 'service.ts'],
};
/** Folders below actors/ that are no actors. */
const NO_ACTORS: readonly string[] = [
  ...['frames', 'node-gateway', 'runtime', 'search', 'sessions', 'uploads', 'views', 'worker-gateway'],
];

/** Whether a file takes decisions of an actor. */
function decides(file: string): boolean {
  const [top, folder = '', ...rest] = file.split('/');
  const around = AROUND[folder];
  if (top !== 'actors' || rest.length === 0 || around === undefined) return false;
  return rest.join('/') !== 'actor.ts' && !around.includes(rest.join('/'));
}

const sourceFiles = (): readonly string[] => [
  'main.ts',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mjs|js)$/.test(name))
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
  ),
];

const folderOf = (file: string): Folder =>
  file.includes('/') ? (file.slice(0, file.indexOf('/')) as Folder) : (file as Folder);

/** Why an import is against the map, in a sentence; undefined when it is not. */
export function objection({ file, target, ours, typeOnly }: Import): string | undefined {
  const from = folderOf(file);
  if (!ours) {
    if (target === 'comedy' && file !== 'actors/runtime/comedy-tree.ts')
      return `${file} imports comedy; only actors/runtime/comedy-tree.ts may.`;
    if (target === 'better-sqlite3' && !/^(store\/sqlite|search\/sqlite|results\/timeline)\//.test(file))
      return `${file} imports better-sqlite3; only store/sqlite/, search/sqlite/ and results/timeline/ may.`;
    if (from === 'page' && !typeOnly && !/^preact(\/|$)/.test(target))
      return `${file} imports ${target}; the page has no packages but preact.`;
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

/** Files that import each other, one after the other and back to the first. */
function circles(all: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of all) targets.set(file, [...(targets.get(file) ?? []), target]);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push([...way.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

const texts = new Map(sourceFiles().map((file) => [file, readFileSync(file, 'utf8')]));
const imports = [...texts].flatMap(([file, text]) => importsOf(file, text));

describe('The architecture', () => {
  for (const folder of ['main.ts', ...FOLDERS])
    it(`is kept by the imports of ${folder}`, () => {
      const found = imports.filter(({ file }) => folderOf(file) === folder).map(objection);
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

  it('knows of each folder below actors/ whether it is an actor, and of each actor which files do things', () => {
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
        ['actors/upkeep/reconcile.ts', "import type { x } from '../http/app.ts';"],
        ['actors/upkeep/reconcile.ts', "import {\n  a,\n  b,\n} from '../store/sqlite/sqlite-store.ts';"],
        ['domain/plan.ts', "export { x } from '../results/spool.ts';"],
        ['domain/plan.ts', "import { readFileSync } from 'node:fs';"],
        ['http/app.ts', "const x = await import('../store/store.ts');"],
        ['http/app.ts', "import '../media/sound/audio.ts';"],
        ['actors/upkeep/reconcile.ts', "import { makeLogger } from '../config/logger.ts';"],
        ['actors/runtime/cell.ts', "import comedy from 'comedy';"],
        ['main.ts', "import { until } from './test/support/until.ts';"],
        ['page/app.tsx', "import { words } from '../domain/text/words.ts';"],
        ['page/app.tsx', "import fs from 'node:fs';"],
        ['http/pages/page.ts', "import { App } from '../page/app.tsx';"],
      ] as const)
        expect(judge(file, line), line)
          .to.have.lengthOf(1)
          .and.satisfy(([sentence]: readonly (string | undefined)[]) => sentence !== undefined);
    });

    it('and lets pass what it allows', () => {
      for (const [file, line] of [
        ['server/open-store.ts', "import { SqliteStore } from '../store/sqlite/sqlite-store.ts';"],
        ['cli/service/serve.ts', "import { startServer } from '../main.ts';"],
        ['actors/upkeep/reconcile.ts', "import type { Store } from '../store/store.ts';"],
        ['actors/upkeep/reconcile.ts', "import { type Logger } from '../config/logger.ts';"],
        ['page/jobs/types.ts', "import type { jobPage } from '../../http/schemas/job-list.ts';"],
        ['page/app.tsx', "import { useState } from 'preact/hooks';"],
        ['media/sound/audio.ts', "import type { Range } from '../domain/types.ts';"],
        ['actors/runtime/comedy-tree.ts', "import comedy from 'comedy';"],
      ] as const)
        expect(judge(file, line), line).to.deep.equal([undefined]);
    });
  });
});
