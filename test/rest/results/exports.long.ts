/** Export formats of the results of more detectors. */
import { expect } from 'chai';
import { ExportSuite, hasCues, messageOf, tellsAll, tellsAsCoco } from './exports-suite.ts';

describe('Other forms of more detection documents', function () {
  this.timeout(240_000);
  const suite = new ExportSuite({
    text: ['TEXT DETECTION PIPELINE', 'gen_text.png'],
    speech: ['SPEECH DETECTION PIPELINE', 'vad_groundtruth.wav'],
    documents: ['DOCUMENT TEXT DETECTION PIPELINE', 'sections.docx', 'text-embedded-and-images.pdf'],
  });

  for (const name of suite.names) tellsAll(suite, name);

  tellsAsCoco(suite, 'text');

  hasCues(suite, 'speech', '[Speech]');

  it('have nothing for CVAT of what cannot be seen', async () => {
    const refused = await suite.form('speech', 'format=cvat');
    expect([refused.status, messageOf(refused)]).to.deep.equal([
      400,
      'The job has neither videos nor pictures, and cvat supports no other media.',
    ]);
  });
});
