/** Media selectors: processing parts of a JSON document, and the document with the results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Properties } from '../../domain/types.ts';
import {
  errorCodes,
  sampleUri,
  Service,
  type DetectionDocument,
  type DocumentMedium,
} from '../support/processes/service.ts';
import {
  annotates,
  entriesOf,
  foundBy,
  inOneJob,
  looks,
  pipelineOf,
  refusal,
  run,
  runOne,
  valuesOf,
  type Step,
} from './support.ts';

/** Has unusual white space and number formats, which must be preserved. */
const LETTERS = `{
  "archive": "letters", "number": 12345678901234567890,
  "letters": [
    { "from": "ann",  "text": "good morning", "pages": 2 },
    { "from": "bert", "text": "good night",   "pages": 1.50 }
  ],
  "notes": {
      "first": "good morning",
      "more": [ "see you", [ "\\u00e9t\\u00e9" ] ] }
}
`;

interface Selector {
  readonly expression: string;
  readonly resultDetectionProperty?: string;
  readonly selectionProperties?: Properties;
}

describe('Media selectors', () => {
  let service: Service;

  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const noteProperties = (properties: Properties = {}): Step => ({ algorithm: 'NOTING', properties });

  function lettersUri(text = LETTERS): string {
    const path = join(service.mediaDir, 'letters.json');
    writeFileSync(path, text);
    return pathToFileURL(path).href;
  }
  const selectStep = (selectors: readonly (string | Selector)[], output = 'FIRST') => ({
    mediaSelectorsOutputAction: output,
    mediaSelectors: selectors.map((one) => ({
      type: 'JSON_PATH',
      resultDetectionProperty: 'NOTE',
      ...(typeof one === 'string' ? { expression: one } : one),
    })),
  });
  const letters = (selectors: readonly (string | Selector)[], output?: string, text?: string) => ({
    mediaUri: lettersUri(text),
    ...selectStep(selectors, output),
  });

  /** The text of the output document. */
  const outputOf = (medium: DocumentMedium): string =>
    readFileSync(fileURLToPath(medium['mediaSelectorsOutputUri'] as string), 'utf8');

  const texts = (medium: DocumentMedium, action = 'FIRST') =>
    valuesOf(medium, action, 'TEXT')
      .map((text) => text ?? '')
      .toSorted();

  it('have each selected text processed once and replaced by its result; the rest stays', async () => {
    const id = await service.submit({
      ...pipelineOf(noteProperties()),
      media: [letters(['$.letters[*].text', '$.notes'])],
    });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await service.document(id)).media;
    expect(medium).to.include({ mediaType: 'UNKNOWN', mimeType: 'application/json', status: 'COMPLETE' });
    // Each selector has its own results.
    expect(texts(medium!)).to.deep.equal(['good morning', 'good morning', 'good night', 'see you', 'été']);
    const pieces = service.handedOut().filter(({ subJob }) => /\.1\.0\.0\.0\.\d+$/.test(subJob));
    expect(pieces.filter(({ subJob }) => subJob.startsWith(`${id}.`))).to.have.length(5);
    expect(outputOf(medium!)).to.equal(
      LETTERS.replaceAll('good morning', 'GOOD MORNING')
        .replace('good night', 'GOOD NIGHT')
        .replace('see you', 'SEE YOU')
        .replace(String.raw`\u00e9t\u00e9`, 'ÉTÉ'),
    );
  });

  const noteMedium = inOneJob(() => service, pipelineOf(noteProperties()));
  const alone = noteMedium(lettersUri, {}, selectStep(['$.notes.first']));

  it('give the tracks of what they select no more than the text', () => {
    const medium = alone();
    expect(entriesOf(medium)).to.deep.equal(['NOTED | FIRST | 1']);
    const [track] = foundBy(medium, 'FIRST');
    expect(track).to.deep.include({ startOffsetFrame: 0, stopOffsetTime: 0, confidence: -1 });
    expect(track?.trackProperties).to.deep.equal({ TEXT: 'good morning', NOTE: 'GOOD MORNING' });
    expect(track?.exemplar).to.include({ x: 0, y: 0, width: 0, height: 0 });
  });

  for (const [delimiter, expected] of [
    [' | ', 'good night | GOOD NIGHT'],
    ['->', 'good night->GOOD NIGHT'],
    [' ', 'good night GOOD NIGHT'],
    ['', 'GOOD NIGHT'],
  ] as const) {
    const medium = noteMedium(lettersUri, { MEDIA_SELECTORS_DELIMETER: delimiter }, selectStep(['$..text']));

    it(`keep the text before "${delimiter}" and the output with that MEDIA_SELECTORS_DELIMETER`, () => {
      expect(outputOf(medium())).to.contain(`"${expected}"`);
    });
  }

  const TWO = { NOTES: '$|$ AGAIN|$' };
  const notedTwice = inOneJob(() => service, pipelineOf(noteProperties(TWO)));
  for (const [policy, expected] of [
    [{}, 'GOOD NIGHT AGAIN'],
    [{ MEDIA_SELECTORS_DUPLICATE_POLICY: 'longest' }, 'GOOD NIGHT AGAIN'],
    [{ MEDIA_SELECTORS_DUPLICATE_POLICY: 'JOIN' }, 'GOOD NIGHT | GOOD NIGHT AGAIN'],
  ] as const) {
    const medium = notedTwice(lettersUri, policy, selectStep(['$..text']));

    it(`of several outputs take "${expected}" with ${JSON.stringify(policy)}`, () => {
      expect(valuesOf(medium(), 'FIRST', 'NOTE')).to.have.length(6);
      expect(outputOf(medium())).to.contain(`"${expected}"`);
    });
  }

  it('take several outputs for an error when the policy is ERROR', async () => {
    const request = {
      ...pipelineOf(noteProperties(TWO)),
      jobProperties: { MEDIA_SELECTORS_DUPLICATE_POLICY: 'ERROR' },
    };
    const document = await run(service, letters(['$..text']), request, 'ERROR');
    expect(errorOf(document)).to.match(/^OTHER .*2 outputs/);
    expect(document.media[0]).to.not.have.property('mediaSelectorsOutputUri');
  });

  const errorOf = ({ errors }: DetectionDocument) =>
    errors.flatMap(({ details }) => details.map(({ code, message }) => `${code} ${message}`)).join();

  it('that match nothing at all are an error of the medium', async () => {
    const document = await run(
      service,
      letters(['$.nothing', '$..pages']),
      pipelineOf(noteProperties()),
      'ERROR',
    );
    expect(errorOf(document)).to.match(/^OTHER .*MEDIA_SELECTORS_NO_MATCHES_IS_ERROR/);
    expect(document.media[0]?.status).to.equal('ERROR');
  });

  it('may match nothing if MEDIA_SELECTORS_NO_MATCHES_IS_ERROR is FALSE, and are not retried', async () => {
    const may = { MEDIA_SELECTORS_NO_MATCHES_IS_ERROR: 'FALSE' };
    for (const next of [noteProperties(), noteProperties({ FEED_FORWARD_TYPE: 'REGION' })]) {
      const medium = await runOne(service, letters(['$.nothing']), pipelineOf(noteProperties(may), next));
      expect(entriesOf(medium)).to.deep.equal(['NO TRACKS | FIRST', 'NO TRACKS | SECOND']);
    }
  });

  const somewhere = noteMedium(lettersUri, {}, selectStep(['$.nothing', '$.archive']));

  it('need match only somewhere', () => {
    expect(texts(somewhere())).to.deep.equal(['letters']);
  });

  it('set properties for what they select, in every task', async () => {
    const formal = { NOTES: 'Dear $', TELL: 'NOTES' };
    const selectors = [
      { expression: '$..from', selectionProperties: formal },
      { expression: '$..text', resultDetectionProperty: 'MORE' },
    ];
    const medium = await runOne(service, letters(selectors, 'SECOND'), {
      ...pipelineOf(
        noteProperties(),
        noteProperties({ FEED_FORWARD_TYPE: 'REGION', NOTE_IN: 'MORE', NOTES: '<$>' }),
      ),
      jobProperties: { TELL: 'NOTES' },
    });
    const notes = foundBy(medium, 'FIRST').map(({ trackProperties: { TEXT, NOTE } }) => `${TEXT}: ${NOTE}`);
    expect(notes.toSorted()).to.deep.equal([
      'ann: Dear ANN',
      'bert: Dear BERT',
      'good morning: GOOD MORNING',
      'good night: GOOD NIGHT',
    ]);
    const told = foundBy(medium, 'SECOND').map(({ trackProperties: { TEXT, NOTES } }) => `${TEXT}: ${NOTES}`);
    expect(told.toSorted()).to.deep.equal([
      'ann: Dear $',
      'bert: Dear $',
      'good morning: <$>',
      'good night: <$>',
    ]);
    const output = JSON.parse(outputOf(medium)) as { letters: object[]; notes: { first: string } };
    expect(output.letters).to.deep.equal([
      { from: 'Dear ANN', text: '<GOOD MORNING>', pages: 2 },
      { from: 'Dear BERT', text: '<GOOD NIGHT>', pages: 1.5 },
    ]);
    expect(output.notes.first, 'what no selector selects').to.equal('good morning');
  });

  it('fill the document with what an annotator says', async () => {
    const steps = pipelineOf(noteProperties({ NOTE_IN: 'OTHER' }), annotates({ NOTES: 'noted $' }));
    const medium = await runOne(service, letters(['$..text'], 'second'), steps);
    expect(entriesOf(medium)).to.deep.equal(['NOTED | FIRST | 2 | by SECOND']);
    expect(outputOf(medium)).to.contain('"noted GOOD NIGHT"').and.contain('"noted GOOD MORNING"');
  });

  it('fill the document with what one of several actions of the last task says', async () => {
    const fed = { FEED_FORWARD_TYPE: 'REGION' };
    const steps = pipelineOf(noteProperties(), [
      noteProperties({ ...fed, NOTES: 'one' }),
      noteProperties({ ...fed, NOTES: 'two' }),
    ]);
    const medium = await runOne(service, letters(['$..text'], 'SECOND 1'), steps);
    expect(outputOf(medium)).to.contain('"text": "two"').and.not.contain('"one"');
  });

  const annotateFilm = noteMedium(
    lettersUri,
    { IS_ANNOTATOR: 'TRUE', FEED_FORWARD_TYPE: 'REGION' },
    selectStep(['$..text']),
  );

  it('make a first action no annotator: what is selected is no track to be given back', () => {
    expect(entriesOf(annotateFilm())).to.deep.equal(['NOTED | FIRST | 2']);
  });

  it('work on all that one selector selects in one sub-job with FEED_FORWARD_ALL_TRACKS', async () => {
    const jobProperties = { FEED_FORWARD_ALL_TRACKS: 'TRUE' };
    const media = [letters(['$..text', '$..from'])];
    const id = await service.submit({ ...pipelineOf(noteProperties()), media, jobProperties });
    await service.terminal(id);
    const [medium] = (await service.document(id)).media;
    expect(texts(medium!)).to.deep.equal(['ann', 'bert', 'good morning', 'good night']);
    expect(
      service.handedOut().filter(({ subJob }) => new RegExp(`^${id}\\.1\\.0\\.0\\.0\\.\\d+$`).test(subJob)),
    ).to.have.length(2);
  });

  it('cannot be used on a document that is no JSON, or on a picture; other media are unaffected', async () => {
    const path = join(service.mediaDir, 'none.json');
    writeFileSync(path, 'no { json');
    const PICTURE = sampleUri('hello-world.png');
    const bad = [pathToFileURL(path).href, PICTURE].map((mediaUri) => ({
      mediaUri,
      ...selectStep(['$..text']),
    }));
    const document = await service.run({
      ...pipelineOf(looks()),
      media: [PICTURE, ...bad, letters(['$.nothing'])],
    });
    expect(document.media.map(({ status }) => status)).to.deep.equal(['COMPLETE', 'ERROR', 'ERROR', 'ERROR']);
    for (const { mediaId } of document.media.slice(1))
      expect(errorCodes(document, mediaId)).to.deep.equal(['OTHER']);
    expect(errorOf(document)).to.match(/OTHER .*is not JSON/);
  });

  const REFUSED: readonly [what: string, says: RegExp, change: object][] = [
    ['without an output action', /must also have/, { mediaSelectorsOutputAction: null }],
    [
      'with an output action that is none of the pipeline',
      /not an action of the pipeline/,
      { mediaSelectorsOutputAction: 'X' },
    ],
    [
      'with an expression that cannot be read',
      /\$\[/,
      { mediaSelectors: [{ type: 'JSON_PATH', expression: '$[', resultDetectionProperty: 'A' }] },
    ],
    [
      'of a type that there is not',
      /type/,
      { mediaSelectors: [{ type: 'XPATH', expression: '$', resultDetectionProperty: 'A' }] },
    ],
  ];
  for (const [what, says, change] of REFUSED)
    it(`${what} are refused`, async () => {
      const media = [{ ...letters(['$..text']), ...change }];
      expect(await refusal(service, { ...pipelineOf(noteProperties()), media })).to.match(says);
    });
});
