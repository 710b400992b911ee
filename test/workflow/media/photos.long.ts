/** Photos in the format of phones in a complete pipeline: faces, artifacts and markup. */
import { expect } from 'chai';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codedPictures, heifFixture, heifOf } from '../../support/media/heif.ts';
import { Service, tracksOf } from '../../support/processes/service.ts';
import { mediumOf, pictureAt, uriOf } from '../results.ts';

describe('HEIC photos', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    await copyFile(heifFixture('astronaut.heic'), join(service.mediaDir, 'photo.heic'));
    const mirrored = heifOf(codedPictures('astronaut.heic'), { mirror: 1, exifOrientation: 2 });
    await writeFile(join(service.mediaDir, 'mirrored.heic'), mirrored);
  });
  after(() => service.close());

  it('have their faces, artifacts and markup where a viewer shows them', async () => {
    const document = await service.run({
      media: [uriOf(service, 'photo.heic'), uriOf(service, 'mirrored.heic')],
      pipelineName: 'FACE DETECTION WITH MARKUP PIPELINE',
    });
    expect(document.status).to.equal('COMPLETE');
    const exemplars = [];
    for (const name of ['photo.heic', 'mirrored.heic']) {
      const medium = mediumOf(document, name);
      const [track, ...others] = tracksOf(medium, 'FACE');
      expect(others).to.deep.equal([]);
      const { exemplar } = track!;
      expect(exemplar.detectionProperties).to.not.have.any.keys('ROTATION', 'HORIZONTAL_FLIP');
      const [cut, drawn] = [
        await pictureAt(exemplar.artifactPath),
        await pictureAt(medium.markupResult!.path),
      ];
      expect([cut.width, cut.height]).to.deep.equal([exemplar.width, exemplar.height]);
      expect([drawn.width, drawn.height]).to.deep.equal([512, 512]);
      const [x, y] = [exemplar.x + exemplar.width / 2, exemplar.y + exemplar.height / 2];
      expect(cut.at(0.5, 0.5), 'the middle of the face').to.deep.equal(drawn.at(x / 512, y / 512));
      exemplars.push(exemplar);
    }
    const [plain, mirrored] = exemplars;
    expect(mirrored!.x).to.be.closeTo(512 - plain!.x - plain!.width, 15);
    expect(mirrored!.y).to.be.closeTo(plain!.y, 15);
  });
});
