import { expect } from 'chai';
import { request } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';

interface Upload {
  readonly id: string;
  readonly mediaUri: string;
}

/** `isLong`: includes cases that unit tests also cover, and variations. */
export function uploads(pair: () => ServerPair, { isLong }: { readonly isLong: boolean }): void {
  describe('Uploads at two servers of one store', () => {
    let picture: Buffer;
    before(async () => {
      picture = await readFile(fileURLToPath(sampleUri('hello-world.png')));
    });

    const beginUpload = (service: Service) => {
      const headers = {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/octet-stream',
      };
      return request(`${service.url}/rest/media?name=a.png`, { method: 'POST', headers });
    };
    const uploadMedium = async (service: Service): Promise<Upload> => {
      const upload = beginUpload(service).end(picture);
      const [response] = (await once(upload, 'response')) as [import('node:http').IncomingMessage];
      const text = Buffer.concat(await response.toArray()).toString();
      expect(response.statusCode, text).to.equal(201);
      return JSON.parse(text) as Upload;
    };
    const isRemoved = async (service: Service, { id }: Upload) =>
      (await service.ask('DELETE', `/rest/media/${id}`)).status;

    it('are removed at the other as soon as they are there', async () => {
      const { one, two } = pair();
      const upload = await uploadMedium(one);
      expect(await isRemoved(two, upload)).to.equal(204);
      expect(await isRemoved(one, upload)).to.equal(404);
    });

    if (!isLong) return;

    it('come to their end at one while another starts', async () => {
      const { one, two } = pair();
      const upload = beginUpload(two);
      const response = once(upload, 'response') as Promise<[import('node:http').IncomingMessage]>;
      upload.write(picture.subarray(0, 1_000));
      await until('its first piece is there', async () => (await one.files('uploads')).length > 0);
      const third = await pair().third('of-uploads');
      upload.end(picture.subarray(1_000));
      const [{ statusCode }] = await response;
      expect(statusCode).to.equal(201);
      await third.close();
    });

    it('never go while a job with them comes in, whichever is asked for the one and for the other', async () => {
      const { one, two } = pair();
      for (let n = 0; n < 6; n++) {
        const upload = await uploadMedium(one);
        const [job, removal] = await Promise.all([
          one.create({ media: [upload.mediaUri], pipelineName: 'LIGHT PIPELINE' }),
          isRemoved(two, upload),
        ]);
        expect([204, 409]).to.include(removal);
        if (removal === 204) expect(job.status).not.to.equal(201);
        else
          expect((await two.terminal((job.body as { jobId: string }).jobId)).jobStatus).to.equal('COMPLETE');
      }
    });
  });
}
