/** Setting up a second host with the command line tool only, as an administrator would. */
import path from 'node:path';
import { expect } from 'chai';
import type { RunningServer } from '../../../../main.ts';
import { Place } from '../../support/support.ts';

/** For nodes that share the test process. Otherwise their log would appear in the output of the tests. */
const QUIET = { LOG_LEVEL: 'error' };

describe('troupe node', () => {
  let place: Place;
  let server: RunningServer;
  before(async () => {
    place = new Place({ warm: true });
    server = await place.serveHere({ NODE_NAME: 'here' });
  });
  after(() => place.leave());
  const there = (more: Readonly<Record<string, string>> = {}) => ({
    NODE_NAME: 'rack-2',
    DATA_DIR: path.join(place.folder, 'node'),
    ...more,
  });

  it('joins a server with a token of "troupe token --node", is listed, and leaves with Ctrl-C', async () => {
    const { code, stdout, stderr } = await place.troupe(['token', '--node', 'rack-2']);
    expect([code, stderr]).to.deep.equal([0, '']);
    const node = place.start(['node', '--server', server.url], there({ TROUPE_TOKEN: stdout.trim() }));
    await node.says('stdout', 'the node is connected to its server');
    const nodes = await place.troupe(['nodes']);
    const [titles, here, rack] = nodes.stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(titles).to.deep.equal(['HOST', 'NODE', 'VERSION', 'SERVICES', 'RUNNING', 'NOTE']);
    expect(here?.slice(0, 2)).to.deep.equal(['here', 'of the server']);
    expect(rack).to.deep.equal([
      'rack-2',
      'connected',
      here![2],
      '0',
      '0',
      'the configuration has nothing for it',
    ]);
    node.signal('SIGINT');
    expect((await node.ended).code).to.equal(0);
    // From here on, the node has its own token.
    const again = place.start(['node'], there({ TROUPE_URL: server.url }));
    await again.says('stdout', 'the node is connected to its server');
    const refused = await place.troupe(
      ['node', '--server', server.url],
      there({ ...QUIET, DATA_DIR: path.join(place.folder, 'second'), TROUPE_TOKEN: stdout.trim() }),
    );
    expect([refused.code, refused.stderr]).to.satisfy(
      ([status, text]: [number, string]) =>
        status === 2 &&
        text.startsWith('Another node is called rack-2 and is connected. Give each node its own NODE_NAME'),
    );
    again.signal('SIGTERM');
    expect((await again.ended).code).to.equal(0);
  });

  it('says what is missing or wrong, and ends', async () => {
    for (const [args, env, words] of [
      [['node'], {}, 'Say which server it belongs to: --server URL, or TROUPE_URL.'],
      [['node', '--server', server.url], {}, 'The node has no token: set TROUPE_TOKEN'],
      [['node', '--server', server.url], { NODE_NAME: 'a b' }, 'NODE_NAME must have 1 to 64 letters'],
      [['node', '--server', server.url], { TROUPE_TOKEN: 'x' }, 'This is not the token of a node'],
      [
        ['node', '--server', server.url],
        {
          TROUPE_ISSUER_URI: `${server.url}/no/provider`,
          TROUPE_CLIENT_ID: 'rack',
          TROUPE_CLIENT_SECRET: 'a secret',
        },
        `no OpenID Connect provider answers at ${server.url}/no/provider: check TROUPE_ISSUER_URI.`,
      ],
      [['token', '--node', 'a b'], { DATA_DIR: place.dataDir }, 'The name of a node has 1 to 64 letters'],
    ] as const) {
      const all = there({ ...QUIET, DATA_DIR: path.join(place.folder, 'none'), ...env });
      // One of these cases uses a separate process, to show that the process of a refused node ends.
      const { code, stderr } = await ('TROUPE_TOKEN' in env
        ? place.start(args, all).ended
        : place.troupe(args, all));
      expect([code, stderr]).to.satisfy(
        ([status, text]: [number, string]) => status === 2 && text.includes(words),
        stderr,
      );
    }
  });
});
