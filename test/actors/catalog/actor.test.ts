/** The catalog actor on a real store: what it has acknowledged as stored survives every crash. */
import { expect } from 'chai';
import { CATALOG, catalogKind, openCatalog } from '../../../actors/catalog/actor.ts';
import { Catalog } from '../../../actors/catalog/catalog.ts';
import type { CatalogCommand } from '../../../actors/catalog/commands.ts';
import type { CatalogReply } from '../../../actors/catalog/transitions.ts';
import { descriptorSchema, type Descriptor } from '../../../actors/catalog/descriptors/descriptor.ts';
import { CATALOG_SCHEMA } from '../../../actors/catalog/snapshot.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { PlainTree } from '../runtime/plain-tree.ts';
import { ActorSystem, type Family } from '../../../actors/runtime/system.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Commit, Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';
import { descriptorOf, pipeline, realDescriptors, OTHER_KIND } from './descriptors.ts';

const OWNER = { server: 'here', epoch: 1 };
const ANN = { subject: 'ann', name: 'Ann' };

/** A server with only the catalog. */
class Server {
  readonly catalog = new Catalog({});
  readonly errors: string[] = [];
  readonly system = new ActorSystem(new PlainTree(), systemClock);
  readonly family: Family<CatalogCommand, CatalogReply>;

  constructor(store: Store) {
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (_: object, text: string) => this.errors.push(text),
    };
    this.family = this.system.register(
      catalogKind({
        store,
        owner: OWNER,
        logger,
        limits: { elements: 10_000, characters: 100_000_000 },
        publish: this.catalog.publish,
        announce() {},
      }),
    );
    this.open = (...installed) => openCatalog(this.family, installed, logger);
  }

  readonly open: (...installed: Descriptor[]) => Promise<void>;

  async tell(command: CatalogCommand): Promise<string> {
    const reply = await this.family.ask(CATALOG, command);
    return reply.kind === 'done' ? reply.outcome : reply.reason;
  }

  close(): Promise<boolean> {
    return this.system.stop(1_000);
  }
}

const register = (descriptor: Descriptor): CatalogCommand => ({
  ...{ type: 'register', descriptor, by: ANN, byAdmin: true },
});

describe('The actor of the catalog', () => {
  const file = temporaryFolder();
  let names = 0;
  let store: SqliteStore;
  let server: Server;
  const reopen = async (...installed: Descriptor[]) => {
    await server.close();
    server = new Server(store);
    await server.open(...installed);
  };
  beforeEach(() => {
    store = new SqliteStore(file(`catalog-${++names}.db`));
    server = new Server(store);
  });
  afterEach(async () => {
    await server.close();
    await store.close();
  });

  it('has everything again after a restart, and a start without news writes nothing', async () => {
    const built = descriptorOf('BUILT');
    await server.open(built);
    const real = [...realDescriptors()]
      .filter(([name]) => name !== OTHER_KIND)
      .map(([, text]) => descriptorSchema.parse(JSON.parse(text)));
    for (const descriptor of real) expect(await server.tell(register(descriptor))).to.equal('ADDED');
    await server.tell({ type: 'addPipeline', element: pipeline('MINE', 'T') });
    const summaryOf = (catalog: Catalog) => [
      catalog.components(),
      [...catalog.shownAlgorithms()],
      catalog.actions(),
      catalog.tasks(),
      catalog.pipelines(),
    ];
    const before = summaryOf(server.catalog);
    expect(server.catalog.components()).to.have.lengthOf(real.length + 1);
    const version = (await store.load({ kind: CATALOG, id: CATALOG }))?.version;

    await reopen(built);
    expect(summaryOf(server.catalog)).to.deep.equal(before);
    expect((await store.load({ kind: CATALOG, id: CATALOG }))?.version).to.equal(version);
    for (const descriptor of real) expect(await server.tell(register(descriptor))).to.equal('UNCHANGED');
  });

  it('stores each command in one commit that survives the loss of power, with a small snapshot', async () => {
    const commits: Commit[] = [];
    const watched = around<Store>(store, {
      commit: (commit) => {
        commits.push(commit);
        return store.commit(commit);
      },
    });
    await server.close();
    server = new Server(watched);
    await server.open(descriptorOf('BUILT'));
    await server.tell(register(descriptorOf('ONE')));
    await server.tell(register(descriptorOf('ONE', { componentVersion: '2' }, { name: 'OTHER' })));
    await server.tell({ type: 'unregister', componentName: 'ONE', by: ANN, byAdmin: false });
    expect(commits.map(({ synced }) => synced)).to.deep.equal([true, true, true, true]);
    expect(commits[2]?.removeRows).to.include('algorithm/ONE ALGORITHM/');
    expect(commits[2]?.putRows?.map(({ key }) => key)).to.include('algorithm/OTHER/');
    for (let i = 0; i < 100; i++)
      await server.tell({ type: 'addPipeline', element: pipeline(`P${i} ${'x'.repeat(200)}`, 'T') });
    expect(JSON.stringify(commits.at(-1)?.snapshot).length).to.be.below(16_000);
  });

  it('shows nothing of a change that could not be stored', async () => {
    let broken = false;
    const failing = around<Store>(store, {
      commit: (commit) => (broken ? Promise.reject(new Error('disk full')) : store.commit(commit)),
    });
    await server.close();
    server = new Server(failing);
    await server.open();
    await server.tell({ type: 'addPipeline', element: pipeline('KEPT', 'T') });
    broken = true;
    const lost = await server
      .tell({ type: 'addPipeline', element: pipeline('LOST', 'T') })
      .catch(() => 'failed');
    expect(lost).to.equal('failed');
    expect(server.catalog.pipelines().map(({ name }) => name)).to.deep.equal(['KEPT']);
    broken = false;
    expect(await server.tell({ type: 'addPipeline', element: pipeline('LATER', 'T') })).to.equal('ADDED');
    expect(server.catalog.pipelines().map(({ name }) => name)).to.deep.equal(['KEPT', 'LATER']);
  });

  it('takes commands one after the other: of two that register at once, one is first', async () => {
    await server.open();
    const same = await Promise.all([
      server.tell(register(descriptorOf('ONE'))),
      server.tell({
        ...register(descriptorOf('ONE')),
        by: { subject: 'ben', name: 'Ben' },
      } as CatalogCommand),
    ]);
    expect(same).to.deep.equal(['ADDED', 'UNCHANGED']);
    expect(server.catalog.algorithmsServedBy('ben')).to.deep.equal(['ONE ALGORITHM']);
    expect(server.catalog.component('ONE')?.registeredBy).to.equal('Ann');
    expect([server.catalog.algorithmsServedBy('eve'), server.catalog.algorithmsServedBy(null)]).to.deep.equal(
      [[], []],
    );
  });

  it('begins with what is installed when the stored catalog cannot be read, and says so', async () => {
    await server.open(descriptorOf('BUILT'));
    await server.tell({ type: 'addPipeline', element: pipeline('MINE', 'T') });
    const stored = await store.load({ kind: CATALOG, id: CATALOG });
    await store.commit({
      actor: { kind: CATALOG, id: CATALOG },
      expected: stored!.version,
      owner: OWNER,
      snapshot: stored!.snapshot,
      putRows: [{ key: 'pipeline/BAD/', body: 7 }],
    });
    await reopen(descriptorOf('BUILT'));
    expect(server.errors).to.include('the catalog could not be loaded; trying once more');
    expect(server.catalog.pipelines().map(({ name }) => name)).to.deep.equal([
      'BUILT ALGORITHM DETECTION PIPELINE',
    ]);
  });

  it('refuses the start when a newer version of the product stored it', async () => {
    await server.open(descriptorOf('BUILT'));
    const stored = await store.load({ kind: CATALOG, id: CATALOG });
    await store.commit({
      actor: { kind: CATALOG, id: CATALOG },
      expected: stored!.version,
      owner: OWNER,
      snapshot: { schema: CATALOG_SCHEMA + 1, body: stored!.snapshot.body },
    });
    const outcome = await reopen(descriptorOf('BUILT')).then(
      () => 'started',
      (error: unknown) => String(error),
    );
    expect(outcome).to.include('A catalog was stored by a newer version of Troupe');
  });
});
