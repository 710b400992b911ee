/** The threads of the search: timeouts, and waiting requests. */
import { expect } from 'chai';
import { Thread } from '../../../search/sqlite/thread.ts';
import { SearchBusy, SearchDied } from '../../../store/search.ts';
import type { SlowRequest } from './slow-thread.ts';

describe('A thread of the search', () => {
  const module = new URL('./slow-thread.js', import.meta.url);
  let thread: Thread<SlowRequest, string>;
  afterEach(() => thread.terminate());
  const makeThread = (timeoutMs: number) => {
    thread = new Thread({ module, workerData: undefined, heapMb: 64, idleMs: 60_000, timeoutMs });
  };
  const failure = (asked: Promise<string>) => asked.catch((error: unknown) => error);

  it('counts the time of a question from when its turn comes', async function () {
    this.timeout(240_000);
    makeThread(3_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => thread.ask({ ms: 400 })));
    expect(new Set(answers)).to.deep.equal(new Set(['done']));
  });

  it('that gives up a question tells those that wait to come again, and answers the next', async function () {
    this.timeout(240_000);
    makeThread(3_000);
    const [late, ...others] = await Promise.all(
      [thread.ask('ever'), thread.ask({ ms: 0 }), thread.ask({ ms: 0 })].map(failure),
    );
    expect(String(late)).to.include('takes too long');
    for (const error of [late, ...others]) expect(error).to.be.instanceOf(SearchBusy);
    expect(String(others[0])).to.include('Try again in a moment');
    expect(thread.pending).to.equal(0);
    // The previous thread has not ended yet.
    expect(await thread.ask({ ms: 0 })).to.equal('done');
  });

  it('that dies fails what it was asked, and is started anew', async () => {
    makeThread(60_000);
    const errors = await Promise.all([thread.ask('die'), thread.ask({ ms: 0 })].map(failure));
    for (const error of errors)
      expect(error).to.be.instanceOf(SearchDied).with.property('message').that.includes('exit code 3');
    expect(await thread.ask({ ms: 0 })).to.equal('done');
  });

  it('that is closed does what it was asked, and is there for those that ask meanwhile', async () => {
    makeThread(60_000);
    const asked = thread.ask({ ms: 1 });
    const closing = thread.close();
    const next = thread.ask({ ms: 1 });
    expect(await asked).to.equal('done');
    await closing;
    expect(await next).to.equal('done');
  });
});
