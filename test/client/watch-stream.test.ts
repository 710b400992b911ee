import { expect } from 'chai';
import { RestClient } from '../../client/rest-client.ts';
import { printerOf } from '../../cli/render/stream-lines.ts';
import { Terminal } from '../../cli/terminal/terminal.ts';
import { givenToken } from '../../client/token-source.ts';
import { watchStream, type LiveEvent } from '../../client/watch-stream.ts';
import { answer, withService, type Handler } from '../cli/support/scripted-service.ts';

const running = { jobId: 3, jobStatus: 'IN_PROGRESS', jobStatusDetail: null, endDate: null };
const ended = { ...running, jobStatus: 'TERMINATED', endDate: '2026-11-22T12:00:00.000+00:00' };

/** Sends events, then breaks the connection. */
const events =
  (...list: readonly (readonly [event: string, data: object])[]): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, data] of list) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    response.end();
  };

/** The lines for a terminal, without the time of day. */
function showEvents(list: readonly LiveEvent[], options = {}): readonly string[] {
  const lines: string[] = [];
  const terminal = Object.assign(new Terminal(), { print: (text: string) => lines.push(text) });
  const print = printerOf(options, terminal);
  for (const event of list) print(event);
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
}

describe('The events of a live stream', () => {
  it('tell the frame rate of a camera that says it, and no other', () => {
    const openedEvent = (fps: number) =>
      ({ type: 'job', ...running, picture: { width: 640, height: 360, fps } }) as unknown as LiveEvent;
    expect(showEvents([openedEvent(0), openedEvent(29.97)])).to.deep.equal([
      'state         IN_PROGRESS  640x360',
      'state         IN_PROGRESS  640x360, 29.97 frames/s',
    ]);
  });

  it('are opened again when they break; the job is read between, and no state is told twice', async () => {
    const segment = { type: 'segment', segment: 4, tracks: 2, detections: 9 };
    const script = [
      events(['job', running], ['segment', segment]),
      answer(200, running),
      answer(503, { message: 'too many' }),
      answer(200, running),
      events(['job', running], ['job', ended]),
      answer(200, ended),
    ];
    await withService(script, async (url, asked) => {
      const client = new RestClient(url, givenToken('t'), { connectMs: 300, busyMs: 5_000 });
      const seen: LiveEvent[] = [];
      const { signal } = new AbortController();
      const job = await watchStream(client, '3', { onEvent: (event) => seen.push(event), signal });
      expect(job).to.include({ jobStatus: 'TERMINATED' });
      expect(showEvents(seen)).to.deep.equal([
        'state         IN_PROGRESS',
        'segment       4: 2 tracks, 9 detections',
        'state         TERMINATED',
      ]);
      expect(asked.map((line) => line.split(' ')[1])).to.deep.equal([
        '/rest/streaming/jobs/3/events',
        '/rest/streaming/jobs/3?details=true',
        '/rest/streaming/jobs/3/events',
        '/rest/streaming/jobs/3?details=true',
        '/rest/streaming/jobs/3/events',
        '/rest/streaming/jobs/3?details=true',
      ]);
    });
  });

  it('that came too fast, or are not known here, do no harm; drops have a line now and then', () => {
    const drops = (dropped: number) =>
      ({
        type: 'counts',
        counts: { read: 100, processed: 90, dropped, skipped: 0, reconnects: 0 },
      }) as const;
    const unknown = { type: 'weather', sun: true } as unknown as LiveEvent;
    const list: readonly LiveEvent[] = [
      { type: 'missed', events: 12 },
      unknown,
      drops(0),
      drops(4),
      drops(5),
    ];
    expect(showEvents(list)).to.deep.equal([
      'missed        12 events came too fast to be shown',
      'dropped       4 more frames: 4 of 100 so far',
    ]);
    expect(showEvents([unknown], { json: true })).to.deep.equal(['{"type":"weather","sun":true}']);
  });

  it('tell of a track that ends how long it lasted, also when its begin was not seen', () => {
    const end = { type: 'trackEnded', at: 5_000, liveId: 'b', frame: 70 } as const;
    expect(showEvents([end])).to.deep.equal(['ended         track b  frame 70']);
  });
});
