import { expect } from 'chai';
import type { Actor } from '../../../../client/answers.ts';
import { actorLines } from '../../../../cli/commands/resources/actors.ts';
import { answer, withService } from '../../support/scripted-service.ts';
import { Place } from '../../support/support.ts';

const actor = (kind: string, id: string, more: Partial<Actor> = {}): Actor => ({
  name: `${kind}/${id}`,
  kind,
  id,
  parent: null,
  state: 'IDLE',
  status: null,
  messagesWaiting: 0,
  mailboxLimit: 1_000,
  recentFailures: 0,
  allowedFailures: 3,
  failureWindowMs: 60_000,
  totalFailures: 0,
  lastFailure: null,
  lastMessage: null,
  runningMs: null,
  loadedAt: null,
  ...more,
});
const page = (actors: readonly Actor[], next: string | null = null) =>
  answer(200, { kinds: [], actors, next });

describe('The table of actors', () => {
  it('has those that an actor looks after indented below it, and no column that says nothing', () => {
    const lines = actorLines(
      [
        actor('catalog', 'catalog'),
        actor('service', 'h:A:1', { parent: 'node-manager/h', status: 'Running' }),
        actor('node-manager', 'h', { state: 'WORKING', runningMs: 2_300, messagesWaiting: 4 }),
        actor('service', 'h:B:1', { parent: 'node-manager/h', status: 'InactiveNoStart' }),
        actor('batch-job', '7', { status: 'IN_PROGRESS' }),
      ],
      Infinity,
    );
    expect(lines).to.deep.equal([
      'ACTOR             STATE            STATUS              WAITING',
      'catalog           idle                                       0',
      'node-manager/h    working, 2.3 s                     4 of 1000',
      '  service/h:A:1   idle             Running                   0',
      '  service/h:B:1   idle             InactiveNoStart           0',
      'batch-job/7       idle             IN_PROGRESS               0',
    ]);
  });

  it('tells the failures of one that fails, and why; the reason gives way on a narrow terminal', () => {
    const failing = actor('batch-job', '7', {
      state: 'BACKING_OFF',
      recentFailures: 2,
      totalFailures: 5,
      lastFailure: { message: 'no such table', at: '2026-01-02T03:04:05.000+00:00', counted: true },
      lastMessage: { type: 'workDone', at: '2026-01-02T03:04:05.000+00:00' },
    });
    const [, line = ''] = actorLines([failing], Infinity);
    expect(line).to.match(
      /^batch-job\/7 {3}backing off +0 {3}2 of 3, 5 in all {3}workDone, 2026-\S+ \S+ {3}2026-\S+ \S+ no such table$/,
    );
    const [, short = ''] = actorLines([failing], 90);
    expect(short)
      .to.match(/^batch-job\/7 {3}backing off .*…$/)
      .and.to.have.lengthOf.at.most(90);
  });

  it('shows those whose parent is not in it, too', () => {
    const [, line] = actorLines([actor('service', 'h:A:1', { parent: 'node-manager/h' })], Infinity);
    expect(line).to.match(/^service\/h:A:1 /);
  });
});

describe('troupe actors', () => {
  let place: Place;
  before(() => {
    place = new Place({ warm: true });
  });
  after(() => place.leave());

  it('asks for as many pages as it takes, and says when there are more', async () => {
    const jobs = Array.from({ length: 3 }, (_, n) => actor('batch-job', `${n}`));
    const script = [
      page(jobs.slice(0, 2), 'batch-job:2'),
      page(jobs.slice(2)),
      page(jobs.slice(0, 2), 'batch-job:2'),
    ];
    await withService(script, async (url, asked) => {
      const as = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
      const all = await place.troupe(['actors', '--all', '--failed', '--kind', 'batch-job', '--json'], as);
      expect(JSON.parse(all.stdout), all.stderr).to.deep.equal({ kinds: [], actors: jobs, next: null });
      const some = await place.troupe(['actors', '--limit', '2'], as);
      expect(some.stdout.match(/^batch-job/gm)).to.have.lengthOf(2);
      expect([some.code, some.stderr]).to.deep.equal([
        0,
        'There are more: --limit or --all shows them, --kind and --failed fewer.\n',
      ]);
      expect(asked.map((line) => line.split(' ')[1])).to.deep.equal([
        '/rest/actors?limit=500&kind=batch-job&failed=true',
        '/rest/actors?limit=500&kind=batch-job&failed=true&after=batch-job%3A2',
        '/rest/actors?limit=2',
      ]);
    });
  });

  it('looks again and again with --watch, until Ctrl-C', async () => {
    const script = [1, 2, 3].map((n) => page([actor('delivery', `look ${n}`)]));
    await withService([...script, ...Array.from({ length: 50 }, () => page([]))], async (url) => {
      const watching = place.start(['actors', '--watch', '1'], { TROUPE_URL: url, TROUPE_TOKEN: 't' });
      await watching.says('stdout', 'delivery/look 3');
      watching.signal('SIGINT');
      const { code, stdout } = await watching.ended;
      expect([code, stdout.match(/look \d/g)]).to.deep.equal([0, ['look 1', 'look 2', 'look 3']]);
      expect(stdout, 'a screen is cleared, a file is not').not.to.include('\u001b');
    });
  });

  it('tells what the service says against it, and that another version has no such list', async () => {
    const sentence = 'There are no actors of the kind "x"; there are: catalog.';
    await withService([answer(400, { message: sentence }), answer(404, undefined)], async (url) => {
      const as = { TROUPE_URL: url, TROUPE_TOKEN: 't' };
      const unknown = await place.troupe(['actors', '--kind', 'x'], as);
      expect([unknown.code, unknown.stdout, unknown.stderr]).to.deep.equal([2, '', `${sentence}\n`]);
      const old = await place.troupe(['actors'], as);
      expect([old.code, old.stdout]).to.deep.equal([2, '']);
      expect(old.stderr).to.include('of an earlier version');
    });
  });
});
