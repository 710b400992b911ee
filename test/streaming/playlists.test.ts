/** A camera by an HLS playlist with the whole service: its recording, and the events of its zone. */
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { closePlaylists, servePlaylist } from '../media/live/playlist/playlist-server.ts';
import { sample } from '../components/models/recorded-media.ts';
import { accessUnits, transportStream } from '../support/media/coded-media.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serviceWithCameras, WAIT } from './cameras-support.ts';
import { picturesOf } from './recordings/recordings-support.ts';

const CLIP = sample('face_move.mp4');
/** Frames per segment of the playlist: a second. */
const SEGMENT = 25;
/** Frames of the clip. */
const FRAMES = 100;

interface Stretch {
  readonly startTime: string;
  readonly stopTime: string;
  readonly stopFrame: number | null;
}
const WHOLE = { name: 'whole', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore

describe('A streaming job over HLS', function () {
  this.timeout(240_000);
  const { service, clear, submit, becomes } = serviceWithCameras((env) => Service.here(env));
  afterEach(async () => {
    closePlaylists();
    await clear();
  });

  /** A playlist that gets a segment with every second request, like that of a camera, and ends. */
  async function camera(): Promise<string> {
    const pieces = transportStream(CLIP);
    const segments = Array.from({ length: Math.ceil(pieces.length / SEGMENT) }, (_, n) =>
      Buffer.concat(pieces.slice(n * SEGMENT, (n + 1) * SEGMENT).map(({ data }) => data)),
    );
    let lists = 0;
    const listOf = (count: number) =>
      [
        '#EXTM3U',
        '#EXT-X-TARGETDURATION:1',
        '#EXT-X-MEDIA-SEQUENCE:0',
        ...segments.slice(0, count).map((_, n) => `#EXTINF:1.0,\nsegment-${n}.ts`),
        ...(count === segments.length ? ['#EXT-X-ENDLIST'] : []),
      ].join('\n');
    const { url } = await servePlaylist((path) =>
      path.endsWith('.m3u8')
        ? listOf(Math.min(segments.length, 1 + (lists++ >> 1)))
        : segments[Number(/segment-(\d+)/.exec(path)?.[1])],
    );
    return `${url}/live.m3u8`;
  }

  it('is recorded picture by picture, and has an event when a face comes into its zone', async () => {
    const url = await camera();
    const id = await submit(url, {
      pipelineName: 'FACE DETECTION PIPELINE',
      jobProperties: {},
      stream: { streamUri: url, segmentSize: 20, recording: {} },
      zones: [WHOLE],
      rules: [{ name: 'face', event: 'ENTER', zone: 'whole' }],
    });
    await becomes(id, 'TERMINATED');
    const ask = async <T>(path: string) =>
      (await service().ask('GET', `/rest/streaming/jobs/${id}${path}`)).body as T;
    const { stretches } = await until(
      'the recording is complete',
      () => ask<{ stretches: readonly Stretch[] }>('/recordings'),
      ({ stretches: all }) => all.at(-1)?.stopFrame === FRAMES - 1,
      WAIT,
    );
    const query = `start=${encodeURIComponent(stretches[0]!.startTime)}&stop=${encodeURIComponent(stretches.at(-1)!.stopTime)}`;
    const answer = await fetch(`${service().url}/rest/streaming/jobs/${id}/recordings/clip.mp4?${query}`, {
      headers: { authorization: `Bearer ${service().token}` },
    });
    expect(answer.status).to.equal(200);
    const file = join(service().folder, 'clip.mp4');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    expect(picturesOf(accessUnits(file))).to.deep.equal(picturesOf(accessUnits(CLIP)));
    const { events } = await ask<{ events: readonly Record<'rule' | 'crop' | 'clip', string>[] }>(
      '/zone-events?kind=RULE',
    );
    const [event] = events;
    expect(event).to.include({ rule: 'face' });
    expect(event!.crop).to.match(/^data:image\/jpeg;base64,/);
    expect(event!.clip).to.include(`/rest/streaming/jobs/${id}/recordings/clip.mp4?`);
  });
});
