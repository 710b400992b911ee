/** Entries of the document for media that cannot be processed. */
import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodes, sampleUri, Service, type DetectionDocument } from '../../support/processes/service.ts';
import { sample } from '../../media/support/samples.ts';
import { actionsIn, mediumOf, uriOf } from '../results.ts';
import { annotates, entriesOf, pipelineOf, finds } from '../support.ts';

describe('A medium that fails', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
    const jpeg = await readFile(sample('rocket.jpg'));
    await writeFile(join(service.mediaDir, 'cut.jpg'), jpeg.subarray(0, 30_000));
    await writeFile(join(service.mediaDir, 'empty.mp4'), '');
    await writeFile(join(service.mediaDir, 'letter.mp4'), 'This is no movie.\n');
  });
  after(() => service.close());

  const messagesOf = (document: DetectionDocument, mediaId: number): readonly string[] =>
    document.errors
      .filter((entry) => entry.mediaId === mediaId)
      .flatMap(({ details }) => details.map(({ message }) => message));

  it('keeps what its bytes tell, says why for its user, and lists every action under NO TRACKS', async () => {
    const names = ['cut.jpg', 'empty.mp4', 'letter.mp4'];
    const document = await service.run({
      media: [...names.map((name) => uriOf(service, name)), sampleUri('hello-world.png')],
      pipelineName: 'LIGHT TWICE PIPELINE',
    });
    expect(document.status).to.equal('ERROR');
    const [cut, empty, letter] = names.map((name) => mediumOf(document, name));
    for (const medium of [cut!, empty!, letter!]) {
      const bytes = await readFile(fileURLToPath(medium.path));
      expect(medium.sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
      const both = ['LIGHT ACTION', 'LABELLED LIGHT ACTION'];
      expect(actionsIn(medium)).to.deep.equal({ 'NO TRACKS': both });
    }
    expect([cut!.mimeType, cut!.mediaType, cut!.status]).to.deep.equal(['image/jpeg', 'IMAGE', 'ERROR']);
    expect(cut!.mediaMetadata).to.deep.equal({ MIME_TYPE: 'image/jpeg' });
    expect(errorCodes(document, empty!.mediaId)).to.deep.equal(['MEDIA_INSPECTION']);
    expect(messagesOf(document, empty!.mediaId).join()).to.match(/^The file is empty \(0 bytes\)/);
    expect(errorCodes(document, letter!.mediaId)).to.deep.equal(['UNSUPPORTED_DATA_TYPE']);
    expect(messagesOf(document, letter!.mediaId).join()).to.match(
      /^The file is not a picture, video or sound/,
    );
    expect(mediumOf(document, 'hello-world.png').status).to.equal('COMPLETE');
  });

  it('among four makes the job end ERROR, and its details tell how many media succeeded', async () => {
    const good = sampleUri('hello-world.png');
    const id = await service.submit({
      media: [good, sampleUri('green.wav'), good, good],
      pipelineName: 'FACE DETECTION PIPELINE',
    });
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    expect(document.media.map(({ status }) => status)).to.deep.equal([
      'COMPLETE',
      'INCOMPLETE',
      'COMPLETE',
      'COMPLETE',
    ]);
    const { body: detailed } = await service.ask('GET', `/rest/jobs/${id}?details=true`);
    expect(detailed).to.include({ mediaSucceeded: 3 });
    const { body: plain } = await service.ask('GET', `/rest/jobs/${id}`);
    expect(plain).to.not.have.property('mediaSucceeded');
  });

  it('by its data URI has the type that the URI states, where its content does not contradict', async () => {
    const uri = (type: string, text: string) => `data:${type};base64,${Buffer.from(text).toString('base64')}`;
    const document = await service.run({
      media: [
        uri('text/csv', 'a,b\n1,2\n'),
        uri('video/mp4', 'a,b\n1,2\n'),
        uri('application/json; charset=utf-8', '{"a": 1}'),
      ],
      pipelineName: 'STAGED PIPELINE',
    });
    expect(document.media.map(({ mimeType }) => mimeType)).to.deep.equal([
      'text/csv',
      'text/plain',
      'application/json',
    ]);
  });

  it('is not said to have been annotated: an annotator that was fed nothing stands nowhere', async () => {
    const document = await service.run({
      media: [sampleUri('hello-world.png')],
      ...pipelineOf(finds([]), annotates()),
    });
    expect(entriesOf(document.media[0]!).join()).to.include('FIRST').and.not.include('SECOND');
  });
});
