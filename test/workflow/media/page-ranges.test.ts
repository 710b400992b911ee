/** Ranges of documents are pages. Ranges of images and sounds have no effect and cause a warning. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pdfOf, writeLines } from '../../support/media/pdf.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { textsOf, uriOf } from '../results.ts';
import { warningsIn } from '../warnings-suite.ts';

describe('Ranges of media without frames', () => {
  let service: Service;
  let uri = '';
  before(async () => {
    service = await Service.openShared();
    const pages = ['one', 'two', 'three', 'four'].map((name) => ({ content: writeLines([50, 700, name]) }));
    writeFileSync(join(service.mediaDir, 'pages.pdf'), pdfOf(pages));
    uri = uriOf(service, 'pages.pdf');
  });
  after(() => service.close());

  it('name the pages of documents, from 1, for each task that is not fed', async () => {
    const frameRanges = [
      { start: 2, stop: 2 },
      { start: 4, stop: 9 },
    ];
    const document = await service.run({
      media: [{ mediaUri: uri, frameRanges }],
      pipelineDefinition: { pipeline: ['DOCUMENT TEXT DETECTION TASK', 'DOCUMENT TEXT DETECTION TASK'] },
    });
    expect([document.status, document.media[0]!['frameRanges']]).to.deep.equal(['COMPLETE', frameRanges]);
    expect(textsOf(document.media[0]!, 'DOCUMENT TEXT DETECTION ACTION')).to.deep.equal([
      ...['two', 'four'],
      ...['two', 'four'],
    ]);
  });

  it('are warned of where they have no effect', async () => {
    const ranges = { frameRanges: [{ start: 0, stop: 1 }], timeRanges: [{ start: 0, stop: 9 }] };
    const STAGE = JSON.stringify([{}]);
    const document = await service.run({
      media: [
        { mediaUri: uri, properties: { STAGE }, ...ranges },
        { mediaUri: sampleUri('astronaut.png'), properties: { STAGE }, ...ranges },
      ],
      pipelineDefinition: { pipeline: ['STAGED TASK'] },
    });
    expect(document.status).to.equal('COMPLETE_WITH_WARNINGS');
    const said = warningsIn(document);
    expect(said).to.have.length(3);
    expect(said.filter((one) => one.startsWith('0 '))).to.have.length(2);
    expect(said.join('\n'))
      .to.include('The timeRanges have no effect: the medium (application/pdf) has no times.')
      .and.to.include('this component processes all pages of a document.')
      .and.to.include(
        'The frameRanges and timeRanges have no effect: all of the medium (image/png) is processed.',
      );
  });
});
