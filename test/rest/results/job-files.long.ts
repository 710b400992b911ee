/** GET /rest/jobs/{id}/media/... for media that a detector extracted from documents. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service } from '../../support/processes/service.ts';

describe('The files of a job over REST', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  it('gives media that were taken out of a document, by the mediaIds of the document', async () => {
    const { jobId, media } = await service.run({
      media: [sampleUri('text-embedded-and-images.pdf'), sampleUri('slides.odp')],
      pipelineName: 'DOCUMENT IMAGES DETECTION PIPELINE',
    });
    const derived = media.filter(({ parentMediaId }) => parentMediaId >= 0);
    expect(derived).to.have.length.greaterThan(1);
    for (const { mediaId, path, mimeType } of media) {
      const response = await fetch(`${service.url}/rest/jobs/${jobId}/media/${mediaId}`, {
        headers: { authorization: `Bearer ${service.token}` },
      });
      expect(response.headers.get('content-type')).to.equal(mimeType);
      const sent = Buffer.from(await response.arrayBuffer());
      expect(sent.equals(await readFile(fileURLToPath(path))), path).to.equal(true);
    }
  });
});
