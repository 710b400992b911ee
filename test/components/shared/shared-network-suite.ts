/** A network that several processes share, with real processes. */
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadNetwork, type Network } from '../../../components/shared/networks/network.ts';
import { loadSharedNetwork } from '../../../components/shared/network-process/shared-network.ts';
import { NetworkThreads } from '../../../components/shared/network-process/network-threads.ts';
import { SharedProcess } from '../../../processes/shared-process.ts';
import { isAlive } from '../../support/processes/processes.ts';
import { until } from '../../support/until.ts';

const FACES = 'components/detectors/faces/model/blazeface.onnx';
const OBJECTS = 'components/detectors/objects/model/nanodet.onnx';
const SCRIPT = path.resolve('dist/components/shared/network-process/network-main.js');
const GIB = 1024 ** 3;
const SIDE = 416;
const SHAPE = [1, 3, SIDE, SIDE];

/** `isLong`: tests that wait for timeouts of several seconds. */
export function sharedNetworks({ isLong }: { readonly isLong: boolean }): void {
  describe('A network that several processes share', function () {
    this.timeout(120_000);
    let folder: string;
    let own: Network;
    let expected: readonly Float32Array[];
    const pids: number[] = [];
    const closing: (() => unknown)[] = [];
    const values = Float32Array.from({ length: 3 * SIDE * SIDE }, (_, at) => Math.sin(at / 1_000));

    before(async () => {
      own = await loadNetwork(OBJECTS);
      expected = await own.run(values, SHAPE);
    });
    after(() => own?.close());
    beforeEach(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'troupe-networks-'));
      pids.length = 0;
    });
    afterEach(async () => {
      for (const close of closing.splice(0).toReversed()) await close();
      rmSync(folder, { recursive: true, force: true });
    });

    function listen(idleMs = 0, args = [SCRIPT], onStart = (_pid: number) => {}): string {
      const shared = SharedProcess.listen({
        path: path.join(folder, 'networks'),
        idleMs,
        launch: () => ({
          ...{ command: process.execPath, args, cwd: folder, environment: {}, maxMemory: GIB },
          ...{ bootstrap: '', takesConnections: true },
        }),
        onStart: (pid) => {
          pids.push(pid);
          onStart(pid);
        },
        onEnd: () => undefined,
        line: () => undefined,
      });
      closing.push(async () => {
        shared?.close();
        await until('the process has ended', () => pids.every((pid) => !isAlive({ pid })));
      });
      return shared!.path;
    }
    async function load(at: string | undefined, file = OBJECTS): Promise<Network> {
      const network = await loadSharedNetwork(file, at);
      closing.push(() => network.close());
      return network;
    }
    const expectAnswer = async (network: Network) =>
      expect(await network.run(values, SHAPE)).to.deep.equal(expected);

    if (isLong) {
      it('ends a process that does not react any more, and runs in another one', async () => {
        const network = await load(listen());
        await expectAnswer(network);
        process.kill(pids[0]!, 'SIGSTOP');
        await expectAnswer(network);
        expect(pids.length).to.equal(2);
        expect(isAlive({ pid: pids[0]! })).to.equal(false);
      });

      it('ends a process that stops at its start, and runs in another one', async () => {
        const stopFirst = (pid: number) => pids.length === 1 && process.kill(pid, 'SIGSTOP');
        await expectAnswer(await load(listen(0, [SCRIPT], stopFirst)));
        expect(pids.length).to.equal(2);
        expect(isAlive({ pid: pids[0]! })).to.equal(false);
      });
      return;
    }

    it('gives each of them the same outputs as a network of its own, from one process', async () => {
      const at = listen();
      const networks = await Promise.all([load(at), load(at), load(at)]);
      await Promise.all(networks.map(expectAnswer));
      await Promise.all(networks.map(expectAnswer));
      expect(pids.length).to.equal(1);
    });

    it('gives each of them the outputs of its own input when they run at the same time', async () => {
      const at = listen();
      const inputs = [1, 2, 3].map((factor) => values.map((value) => value / factor));
      const outputs: Float32Array[][] = [];
      for (const input of inputs) outputs.push((await own.run(input, SHAPE)).map((output) => output.slice()));
      const networks = await Promise.all(inputs.map(() => load(at)));
      const answers = await Promise.all(networks.map((network, n) => network.run(inputs[n]!, SHAPE)));
      expect(answers).to.deep.equal(outputs);
    });

    it('starts a second thread if runs often wait, and no third one', async () => {
      const threads = new NetworkThreads({ most: 2, windowMs: 100 });
      closing.push(() => threads.close());
      const run = () => threads.run({ file: OBJECTS, shape: SHAPE, values });
      await run();
      await run();
      expect(threads.count).to.equal(1);
      while (threads.count < 2) await Promise.all([run(), run(), run()]);
      const answers = await Promise.all(Array.from({ length: 12 }, run));
      for (const { outputs } of answers) expect(outputs).to.deep.equal(expected);
      expect(threads.count).to.equal(2);
    });

    it('starts as many threads as wanted, but at most the maximum number', async () => {
      const threads = new NetworkThreads({ most: 2, windowMs: 60_000 });
      closing.push(() => threads.close());
      threads.growTo(1);
      expect(threads.count).to.equal(1);
      threads.growTo(3);
      expect(threads.count).to.equal(2);
      const run = () => threads.run({ file: OBJECTS, shape: SHAPE, values });
      for (const { outputs } of await Promise.all([run(), run(), run()]))
        expect(outputs).to.deep.equal(expected);
    });

    it('rejects a run that waits when it is closed', async () => {
      const at = path.join(folder, 'silent');
      const server = createServer((socket) => socket.on('error', () => undefined).resume());
      await new Promise<void>((resolve) => server.listen(at, resolve));
      closing.push(() => server.close());
      const network = await load(at);
      const answer = network.run(values, SHAPE).catch((reason: unknown) => reason);
      await new Promise((resolve) => server.once('connection', resolve));
      await network.close();
      expect(await answer).to.be.an('error');
    });

    it('runs several models in one process', async () => {
      const at = listen();
      const faces = await load(at, FACES);
      await expectAnswer(await load(at));
      const picture = new Float32Array(3 * 256 * 256).fill(0.5);
      const alone = await loadNetwork(FACES);
      closing.push(() => alone.close());
      const shape = [1, 256, 256, 3];
      expect(await faces.run(picture, shape)).to.deep.equal(await alone.run(picture, shape));
      expect(pids.length).to.equal(1);
    });

    it('runs in another process after kill -9, also of one that works', async () => {
      const network = await load(listen());
      await expectAnswer(network);
      process.kill(pids[0]!, 'SIGKILL');
      await expectAnswer(network);
      const answer = expectAnswer(network);
      process.kill(pids[1]!, 'SIGKILL');
      await answer;
      expect(pids.length).to.equal(3);
    });

    it('is loaded in the process itself if nothing listens, or the process cannot start', async () => {
      await expectAnswer(await load(path.join(folder, 'nothing')));
      await expectAnswer(await load(undefined));
      await expectAnswer(await load(listen(0, [path.join(folder, 'missing.js')])));
    });

    it('is loaded in the process itself if the answer is none', async () => {
      const at = path.join(folder, 'other');
      const server = createServer((socket) =>
        socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      );
      await new Promise<void>((resolve) => server.listen(at, resolve));
      closing.push(() => server.close());
      await expectAnswer(await load(at));
    });

    it('refuses bytes that are no request, and keeps answering others', async () => {
      const at = listen();
      const network = await load(at);
      await expectAnswer(network);
      const socket = connect(at);
      closing.push(() => socket.destroy());
      const closed = new Promise<void>((resolve) =>
        socket.on('error', () => undefined).on('close', () => resolve()),
      );
      socket.write(Buffer.alloc(64, 0xff));
      await closed;
      await expectAnswer(network);
      expect(pids.length).to.equal(1);
    });

    it('reports the error of a model that is missing', async () => {
      const network = await load(listen(), 'components/missing.onnx');
      const error: unknown = await network.run(values, SHAPE).catch((reason: unknown) => reason);
      expect(String(error)).to.contain('The file components/missing.onnx is missing');
    });

    it('ends its process when it has no connections for a while, and starts another one later', async () => {
      const at = listen(200);
      const first = await load(at);
      await expectAnswer(first);
      await first.close();
      await until('the process has ended', () => !isAlive({ pid: pids[0]! }));
      await expectAnswer(await load(at));
      expect(pids.length).to.equal(2);
    });

    it('has no socket at a path that is too long for one', () => {
      const long = path.join(folder, 'x'.repeat(110));
      const options = { path: long, idleMs: 0, launch: () => expect.fail('not started') };
      const nothing = { onStart: () => undefined, onEnd: () => undefined, line: () => undefined };
      expect(SharedProcess.listen({ ...options, ...nothing })).to.equal(undefined);
    });
  });
}
