/** The results of a job in pages: GET /rest/jobs/{id}/media and the paths below it. */
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';

interface Page {
  readonly media: readonly {
    readonly n: number;
    readonly mediaId: number;
    readonly uri: string;
    readonly tracks: number;
    readonly status: string;
    readonly issues: readonly { readonly code: string }[];
  }[];
  readonly total: number;
}

describe('What was found in the media of a job', () => {
  let service: Service;
  let job: string;
  before(async () => {
    service = await Service.openShared();
    job = await service.submit({
      media: [
        { mediaUri: sampleUri('face_move.mp4'), frameRanges: [{ start: 0, stop: 29 }] },
        sampleUri('video_01_invalid.mp4'),
        sampleUri('race.jpg'),
      ],
      pipelineName: 'FACE DETECTION PIPELINE',
    });
    await service.terminal(job);
  });
  after(() => service.close());

  const get = async <T>(path: string): Promise<T> => {
    const answer = await service.ask('GET', `/rest/jobs/${job}/media${path}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as T;
  };

  it('is listed by medium, with what went wrong in each', async () => {
    const { media, total } = await get<Page>('');
    expect(total).to.equal(3);
    expect(media.map(({ n, status }) => [n, status])).to.deep.equal([
      [0, 'COMPLETE'],
      [1, 'ERROR'],
      [2, 'COMPLETE'],
    ]);
    expect(media[1]?.issues.map(({ code }) => code)).to.deep.equal(['MEDIA_INSPECTION']);
    const second = media[1]!.mediaId;
    expect((await get<Page>(`?mediaId=${second}`)).media.map(({ n }) => n)).to.deep.equal([1]);
    expect((await get<Page>('?limit=1&offset=2')).media.map(({ uri }) => uri)).to.deep.equal([
      sampleUri('race.jpg'),
    ]);
  });

  it('is told by lane, by track and by box as the document tells it', async () => {
    const [document] = (await service.document(job)).media;
    const medium = `/${document!.mediaId}`;
    const [track] = document!.output['FACE']![0]!.tracks!;
    const lanes = await get<readonly { readonly type: string; readonly detections: number }[]>(
      `${medium}/lanes`,
    );
    expect(lanes).to.have.length(1);
    expect(lanes[0]).to.include({ type: 'FACE', action: 'FACE DETECTION ACTION', tracks: 1 });
    expect(lanes[0]!.detections).to.equal(track!.detections.length);

    const { tracks, total } = await get<{ tracks: readonly { readonly id: string }[]; total: number }>(
      `${medium}/tracks`,
    );
    expect([tracks[0]?.id, total]).to.deep.equal([track!.id, 1]);

    const [from, to] = [20, 29];
    const { boxes } = await get<{ boxes: readonly object[] }>(
      `${medium}/boxes?fromFrame=${from}&toFrame=${to}`,
    );
    const expected = track!.detections
      .filter(({ offsetFrame }) => offsetFrame >= from && offsetFrame <= to)
      .map(({ offsetFrame: frame, x, y, width, height, confidence }) => ({
        frame,
        x,
        y,
        width,
        height,
        confidence,
      }));
    expect(boxes.map((box) => pick(box))).to.deep.equal(expected);
  });

  const pick = (box: object) => {
    const { frame, x, y, width, height, confidence } = box as Record<string, number>;
    return { frame, x, y, width, height, confidence };
  };

  it('explains a wrong request in a sentence', async () => {
    for (const [path, status] of [
      ['/rest/jobs/test-host-999/media', 404],
      [`/rest/jobs/${job}/media?limit=0`, 400],
      [`/rest/jobs/${job}/media/0/tracks?minConfidence=much`, 400],
      [`/rest/jobs/${job}/media/0/boxes?fromFrame=-1`, 400],
    ] as const) {
      const answer = await service.ask('GET', path);
      expect(answer.status, path).to.equal(status);
      expect((answer.body as { message: string }).message, path).to.match(/\w{3}/);
    }
  });

  it('goes with the job', async () => {
    const id = await service.submit({ media: [sampleUri('race.jpg')], pipelineName: 'LIGHT PIPELINE' });
    await service.terminal(id);
    expect((await service.ask('GET', `/rest/jobs/${id}/media`)).status).to.equal(200);
    expect((await service.ask('DELETE', `/rest/jobs/${id}`)).status).to.be.oneOf([200, 204]);
    expect((await service.ask('GET', `/rest/jobs/${id}/media`)).status).to.equal(404);
  });
});
