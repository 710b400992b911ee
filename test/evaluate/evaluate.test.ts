/** `troupe evaluate` with documents whose measures can be computed by hand. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Evaluation } from '../../evaluate/evaluation.ts';
import { convertDocuments } from '../../results/exports/convert.ts';
import { Place } from '../cli/support/support.ts';
import { documentWith, type SomeMedium, type SomeTrack } from './documents.ts';

describe('troupe evaluate', () => {
  let place: Place;
  before(() => {
    place = new Place({ warm: true });
  });
  after(() => place.leave());

  const file = (name: string, content: unknown): string => {
    const at = path.join(place.folder, name);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content));
    return name;
  };
  const document = (media: readonly SomeMedium[], actions?: readonly string[], status?: string): string =>
    file('found.json', documentWith(media, actions, status));
  const runEvaluate = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.troupe(['evaluate', ...args]);
    expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
    return stdout;
  };
  const runEvaluation = async (...args: readonly string[]): Promise<Evaluation> =>
    JSON.parse(await runEvaluate(...args, '--json')) as Evaluation;
  const refusalOf = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.troupe(['evaluate', ...args]);
    expect([code, stdout], args.join(' ')).to.deep.equal([2, '']);
    return stderr.trimEnd();
  };

  const coco = (
    images: readonly string[],
    annotations: readonly (readonly [image: number, label: string, ...box: number[]])[],
  ) => {
    // oxfmt-ignore
    const labels = [...new Set(annotations.map(([, label]) => label))];
    return {
      // The lists may be in any order.
      annotations: annotations.map(([image, label, ...bbox], id) => ({ id, image_id: image, category_id: labels.indexOf(label), bbox, iscrowd: 0 })), // oxfmt-ignore
      images: images.map((name, id) => ({ id, file_name: name, width: 640, height: 480 })),
      categories: labels.map((name, id) => ({ id, name })),
    };
  };
  const boxTrack = (label: string, boxes: readonly (readonly number[])[], more: Partial<SomeTrack> = {}): SomeTrack => ({ label, boxes, ...more }); // oxfmt-ignore

  describe('with boxes in pictures (COCO)', () => {
    const truth = coco(['train/a.png', 'b.png'], [[0, 'Person', 0, 0, 100, 200], [0, 'dog', 300, 300, 50, 50], [1, 'Person', 10, 10, 40, 90]]); // oxfmt-ignore
    const media = [
      { name: 'a.png', tracks: [boxTrack('person', [[0, 0, 0, 100, 200, 0.9]]), boxTrack('person', [[0, 400, 0, 50, 90, 0.3]]), boxTrack('tie', [[0, 5, 5, 5, 5, 0.8]])] }, // oxfmt-ignore
      { name: 'b.png', tracks: [boxTrack('person', [[0, 10, 10, 40, 88, 0.8]])] },
    ];

    it('tells average precision, precision and recall by class and overall, as a table and as JSON', async () => {
      const args = [file('truth.json', truth), document(media)];
      const { boxes, evaluated, notes, tracking, pictures } = await runEvaluation(...args);
      expect(boxes?.classes.map((one) => one.class)).to.deep.equal(['Person', 'dog']);
      expect(boxes?.classes[0]).to.include({ truths: 2, found: 3, ap: 1, ap50: 1, truePositives: 2, falsePositives: 1, falseNegatives: 0, precision: 2 / 3, recall: 1 }); // oxfmt-ignore
      expect(boxes?.classes[1]).to.include({ truths: 1, found: 0, ap: 0, precision: null, recall: 0 });
      expect(boxes?.overall).to.include({ ap: 0.5, truePositives: 2, falseNegatives: 1 });
      expect(evaluated).to.deep.equal([{ type: 'CLASS', action: 'A', classes: ['Person'] }]);
      expect(notes).to.have.length(2);
      expect([tracking, pictures]).to.deep.equal([undefined, 2]);
      const lines = (await runEvaluate(...args)).split('\n');
      expect(lines[0]).to.equal('Truth      truth.json (coco, 3 boxes)');
      expect(lines.join('\n'))
        .to.match(/^Document +found\.json of job host-7$/m)
        .and.to.match(/^CLASS +TRUTH +FOUND +AP +AP50 +AP75 +RIGHT +WRONG +MISSED +PRECISION +RECALL +F1$/m)
        .and.to.match(/^Person +2 +3 +1\.000 +1\.000 +1\.000 +2 +1 +0 +0\.667 +1\.000 +0\.800$/m)
        .and.to.match(/^dog +1 +0 +0\.000 +0\.000 +0\.000 +0 +0 +1 +- +0\.000 +0\.000$/m)
        .and.to.match(/^ALL +3 +3 +0\.500 /m)
        .and.to.match(/^The document does not have these classes .*: dog\.$/m)
        .and.to.match(
          /truth does not have these classes of the document \(number of tracks\): tie \(1\)\.$/m,
        );
    });

    it('tells what pycocotools does, from the files on', async () => {
      interface Sets {
        readonly truth: { readonly images: readonly { readonly id: number; readonly file_name: string }[]; readonly categories: readonly { readonly id: number; readonly name: string }[] }; // oxfmt-ignore
        readonly found: readonly { readonly image_id: number; readonly category_id: number; readonly bbox: readonly number[]; readonly score: number }[]; // oxfmt-ignore
        readonly expected: { readonly overall: Record<string, number>; readonly classes: Record<string, Record<string, number>> }; // oxfmt-ignore
      }
      const sets = JSON.parse(readFileSync('test/fixtures/evaluate/coco.json', 'utf8')) as Sets;
      const nameOf = new Map(sets.truth.categories.map(({ id, name }) => [id, name]));
      const media = sets.truth.images.map((image) => ({
        name: image.file_name,
        tracks: sets.found
          .filter((one) => one.image_id === image.id)
          .map((one) => boxTrack(nameOf.get(one.category_id)!, [[0, ...one.bbox, one.score]])),
      }));
      const { boxes } = await runEvaluation(file('truth.json', sets.truth), document(media));
      const near = (result: object, expected: Record<string, number>) => {
        for (const [name, value] of Object.entries(expected))
          expect((result as Record<string, number>)[name], name).to.be.closeTo(value, 1e-6);
      };
      near(boxes!.overall, sets.expected.overall);
      for (const one of boxes!.classes) near(one, sets.expected.classes[one.class]!);
    });

    it('takes a least confidence and a least overlap', async () => {
      const args = [file('truth.json', truth), document(media)];
      const sure = await runEvaluation(...args, '--threshold', '0.5', '--iou', '0.99');
      expect(sure.boxes?.classes[0]).to.include({
        truePositives: 1,
        falsePositives: 1,
        falseNegatives: 1,
        ap: 1,
      });
      expect(sure.rules).to.include({ threshold: 0.5, iou: 0.99 });
    });

    it('joins classes that --map makes one', async () => {
      const vehicles = file('truth.json', coco(['a.png'], [[0, 'car', 0, 0, 10, 10], [0, 'truck', 50, 0, 10, 10]])); // oxfmt-ignore
      const found = document([{ name: 'a.png', tracks: [boxTrack('VEHICLE', [[0, 0, 0, 10, 10, 1]]), boxTrack('vehicle', [[0, 50, 0, 10, 10, 1]])] }]); // oxfmt-ignore
      expect(await refusalOf(vehicles, found)).to.equal(
        'No class of the truth (car, truck) is among those of the document (VEHICLE (1), vehicle (1)): assign them, for example --map "car=VEHICLE".',
      );
      const { boxes } = await runEvaluation(
        vehicles,
        found,
        '--map',
        'car=vehicle',
        '--map',
        'TRUCK=Vehicle',
      );
      expect(boxes?.classes.map((one) => [one.class, one.ap])).to.deep.equal([['car+truck', 1]]);
      expect(await refusalOf(vehicles, found, '--map', 'bus=vehicle')).to.include('the class bus, which the truth does not have'); // oxfmt-ignore
    });

    it('judges of each class the last action that found some, and tells of the others', async () => {
      const one = file('truth.json', coco(['a.png'], [[0, 'car', 0, 0, 10, 10]]));
      const tracks = [boxTrack('car', [[0, 0, 0, 10, 10, 1]], { action: 'B' }), boxTrack('car', [[0, 90, 0, 10, 10, 1]], { action: 'A' })]; // oxfmt-ignore
      const found = document([{ name: 'a.png', tracks }], ['A', 'B']);
      const last = await runEvaluation(one, found);
      expect(last.evaluated[0]).to.include({ action: 'B' });
      expect(last.boxes?.overall.ap).to.equal(1);
      expect(last.notes.join('\n')).to.include(
        'although they found the same classes (choose with --action and --type): CLASS of A.',
      );
      expect((await runEvaluation(one, found, '--action', 'a')).boxes?.overall).to.include({
        ap: 0,
        falsePositives: 1,
      });
    });

    it('says which media are not judged, which were not analysed, and which sizes differ', async () => {
      const three = coco(
        ['a.png', 'c.png'],
        [
          [0, 'car', 0, 0, 10, 10],
          [1, 'car', 0, 0, 10, 10],
        ],
      );
      const found = document([{ name: 'a.png', size: [1280, 960], status: 'ERROR' }, { name: 'b.png' }], ['A'], 'COMPLETE_WITH_ERRORS'); // oxfmt-ignore
      const { notes, boxes } = await runEvaluation(file('truth.json', three), found);
      expect(boxes?.overall).to.include({ truths: 1, found: 0, recall: 0 });
      expect(notes.join('\n'))
        .to.include('The job ended COMPLETE_WITH_ERRORS')
        .and.to.include('1 of 2 pictures of the truth are not in the document and are not evaluated: c.png.')
        .and.to.include('These media are not in the truth and are not evaluated: b.png.')
        .and.to.include('differ in size between truth and document, so their boxes may not match: a.png.')
        .and.to.include(
          'not processed completely (status ERROR or INCOMPLETE), and missing findings count as missed: a.png.',
        );
    });

    it('says that a document has exemplars alone', async () => {
      const one = file('truth.json', coco(['a.png'], [[0, 'car', 0, 0, 10, 10]]));
      const found = documentWith([{ name: 'a.png', tracks: [boxTrack('car', [[0, 0, 0, 10, 10, 1]])] }]);
      const notes = async (jobProperties: object) =>
        (await runEvaluation(one, file('found.json', { ...found, jobProperties }))).notes;
      expect(await notes({ OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'FALSE' })).to.deep.equal([]);
      expect((await notes({ OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'true' })).join()).to.include(
        'only single detections of tracks in videos',
      );
    });

    it('finds frames of videos by the names that the export and CVAT give them', async () => {
      const frames = coco(['street.mp4-000003.jpg', 'frame_000007.PNG'], [[0, 'car', 0, 0, 10, 10], [1, 'car', 5, 0, 10, 10]]); // oxfmt-ignore
      const boxes = [[2, 0, 0, 10, 10, 1], [3, 0, 0, 10, 10, 1], [7, 5, 0, 10, 10, 1]]; // oxfmt-ignore
      const found = document([
        { name: 'street.mp4', type: 'VIDEO', frames: 9, tracks: [boxTrack('car', boxes)] },
      ]);
      const result = await runEvaluation(file('truth.json', frames), found);
      expect(result.boxes?.overall).to.include({ truths: 2, found: 2, truePositives: 2 });
    });
  });

  describe('with tracks in a video', () => {
    const walk = (from: number, to: number, x: number) =>
      Array.from({ length: to - from }, (_, i) => [from + i, x + 2 * i, 50, 40, 80, 0.9]);
    const video = (tracks: readonly SomeTrack[], frames = 30): SomeMedium => ({ name: 'street.mp4', type: 'VIDEO', frames, tracks }); // oxfmt-ignore

    it('reads MOT, ignores boxes with flag 0, and prints MOTA, MOTP and IDF1', async () => {
      const row = (frame: number, id: number, x: number, flag = 1) => `${frame + 1},${id},${x + 1},51,40,80,${flag},1,1`; // oxfmt-ignore
      const one = Array.from({ length: 20 }, (_, frame) => row(frame, 1, 2 * frame));
      const ignored = Array.from({ length: 20 }, (_, frame) => row(frame, 2, 300 + 2 * frame, 0));
      const truth = file('gt.txt', [...one, ...ignored].join('\r\n'));
      // The object is lost once and then gets a new id. The still object does not exist in the truth. The
      // ignored one is found.
      const tracks = [walk(0, 8, 0), walk(10, 20, 20), walk(0, 20, 300), [[5, 500, 300, 40, 80, 0.9]]].map((boxes) => boxTrack('person', boxes)); // oxfmt-ignore
      const { tracking, boxes } = await runEvaluation(
        truth,
        document([video(tracks)]),
        '--map',
        'pedestrian=person',
      );
      expect(tracking?.overall).to.include({
        objects: 20,
        misses: 2,
        falsePositives: 1,
        switches: 1,
        motp: 1,
      });
      expect(tracking?.overall.mota).to.be.closeTo(1 - 4 / 20, 1e-9);
      expect(tracking?.overall.idf1).to.be.closeTo((2 * 10) / (20 + 19), 1e-9);
      expect(boxes?.overall).to.include({
        truths: 20,
        truePositives: 18,
        falsePositives: 1,
        falseNegatives: 2,
      });
      const table = await runEvaluate(truth, document([video(tracks)]), '--map', 'pedestrian=person');
      expect(table).to.match(/^CLASS +OBJECTS +MOTA +MOTP +IDF1 +IDP +IDR +MISSED +WRONG +SWITCHES$/m);
      expect(table).to.match(/^ALL +20 +0\.800 +1\.000 +0\.513 +/m);
    });

    it('compares a truth without classes with the only class found, and asks if there are several', async () => {
      const truth = file('mot15/gt.txt', '1,1,1,51,40,80,1,-1,-1,-1\n');
      const one = await runEvaluation(truth, document([video([boxTrack('person', walk(0, 1, 0))])]));
      expect(one.tracking?.overall.mota).to.equal(1);
      expect(one.notes).to.include('The truth names no classes; it is compared with person.');
      const two = document([video([boxTrack('person', walk(0, 1, 0)), boxTrack('car', walk(0, 1, 9))])]);
      expect(await refusalOf(truth, two)).to.include('--map "object=person"');
      expect((await runEvaluation(truth, two, '--map', 'object=person')).tracking?.overall.mota).to.equal(1);
    });

    it('takes the names of classes from the labels.txt that CVAT writes beside gt.txt', async () => {
      file('cvat/labels.txt', 'bird\nbee\n');
      const truth = file('cvat/gt.txt', '1,1,1,51,40,80,1,2,1.0\n');
      const { boxes } = await runEvaluation(truth, document([video([boxTrack('Bee', walk(0, 1, 0))])]));
      expect(boxes?.classes.map((one) => [one.class, one.ap])).to.deep.equal([['bee', 1]]);
    });

    it('reads CVAT for video: keyframes, outside, rotated boxes, tasks of every n-th frame', async () => {
      const box = (frame: number, x: number, more = 'outside="0"') => `<box frame="${frame}" keyframe="1" ${more} xtl="${x}" ytl="50" xbr="${x + 40}" ybr="130" occluded="0" z_order="0"><attribute name="a">b</attribute></box>`; // oxfmt-ignore
      const xml = (meta: string, tracks: string) => `<?xml version="1.0"?>\n<annotations><version>1.1</version><meta><task><name>n</name>${meta}<labels><label><name>person</name></label></labels></task><source>street.mp4</source></meta>${tracks}</annotations>`; // oxfmt-ignore
      const straight = xml('<size>30</size><start_frame>0</start_frame><stop_frame>29</stop_frame>', `<track id="0" label="person">${box(2, 0)}${box(12, 20)}${box(13, 22, 'outside="1"')}${box(20, 36)}</track>`); // oxfmt-ignore
      const result = await runEvaluation(
        file('t.xml', straight),
        document([video([boxTrack('person', walk(2, 13, 0))])]),
      );
      // Moves on a line from frame 2 to 12, then disappears. From frame 20 to the end it is there but not
      // found.
      expect(result.boxes?.overall).to.include({
        truths: 21,
        truePositives: 11,
        falseNegatives: 10,
        falsePositives: 0,
      });
      expect(result.tracking?.overall).to.include({ motp: 1, switches: 0 });
      const steps = xml('<size>10</size><start_frame>0</start_frame><stop_frame>27</stop_frame><frame_filter>step=3</frame_filter>', `<track id="0" label="person">${box(0, 0)}${box(9, 18)}${box(12, 0, 'outside="1"')}</track>`); // oxfmt-ignore
      const third = await runEvaluation(
        file('t.xml', steps),
        document([video([boxTrack('person', walk(0, 10, 0))])]),
      );
      expect(third.boxes?.overall).to.include({ truths: 4, found: 4, ap: 1 });
      expect(third.pictures).to.equal(10);
      const turned = xml(
        '',
        `<track id="0" label="person">${box(0, 100, 'outside="0" rotation="90"')}</track>`,
      );
      const upright = document([video([boxTrack('person', [[0, 80, 70, 80, 40, 1]])])]);
      expect((await runEvaluation(file('t.xml', turned), upright)).boxes?.overall.ap).to.equal(1);
    });

    it('finds all figures perfect where the truth is the CVAT export of the document itself', async () => {
      const still = [[3, 1, 2, 30, 40, 0.5], [4, 2, 2, 30, 40, 0.5], [9, 3, 3, 30, 40, 0.2]]; // oxfmt-ignore
      const name = document([video([boxTrack('person', walk(0, 30, 0)), boxTrack('dog', still), boxTrack('dog', walk(5, 9, 400))])]); // oxfmt-ignore
      const at = path.join(place.folder, name);
      let xml = '';
      const documents = [{ file: at, job: 1 }];
      for await (const part of convertDocuments({ format: 'cvat', documents, moved: [] }))
        xml += String(part);
      const { boxes, tracking } = await runEvaluation(file('own.xml', xml), name);
      expect(boxes?.classes.map((one) => [one.class, one.ap, one.precision, one.recall])).to.deep.equal([['person', 1, 1, 1], ['dog', 1, 1, 1]]); // oxfmt-ignore
      expect(tracking?.overall).to.include({ mota: 1, motp: 1, idf1: 1, objects: 37 });
    });

    it('judges each n-th frame alone when told so, and says when it may be meant', async () => {
      const truth = file('gt.txt', Array.from({ length: 30 }, (_, frame) => `${frame + 1},1,${2 * frame + 1},51,40,80,1,1,1`).join('\n')); // oxfmt-ignore
      const found = document([video([boxTrack('pedestrian', Array.from({ length: 10 }, (_, i) => [3 * i, 6 * i, 50, 40, 80, 1]))])]); // oxfmt-ignore
      const all = await runEvaluation(truth, found);
      expect(all.boxes?.overall.recall).to.be.closeTo(1 / 3, 1e-9);
      expect(all.notes.join()).to.match(/found in each 3rd frame only\. .* add --step 3/);
      const third = await runEvaluation(truth, found, '--step', '3');
      expect([third.boxes?.overall.recall, third.tracking?.overall.mota, third.notes]).to.deep.equal([
        1,
        1,
        [],
      ]);
    });

    it('asks which video is meant if there are several, and refuses the truth of a longer one', async () => {
      const truth = file('gt.txt', '31,1,1,51,40,80,1,1,1\n');
      const first = video([boxTrack('pedestrian', walk(0, 1, 0))]);
      expect(await refusalOf(truth, document([first]))).to.equal(
        'The truth has a box in frame 30 (counted from 0), but street.mp4 has 30 frames: is it the truth of another video?',
      );
      const two = document([
        first,
        { ...video([boxTrack('pedestrian', [[30, 0, 50, 40, 80, 1]])], 40), name: 'b.mp4' },
      ]);
      expect(await refusalOf(truth, two)).to.include('Choose one with --media: 1 (street.mp4), 2 (b.mp4).');
      expect((await runEvaluation(truth, two, '--media', '2')).boxes?.overall).to.include({
        ap: 1,
        found: 1,
      });
      expect(await refusalOf(truth, two, '--media', '9')).to.include('The document has no medium 9');
    });
  });

  describe('with speech (RTTM)', () => {
    const line = (from: number, long: number, who: string) => `SPEAKER talk 1 ${from} ${long} <NA> <NA> ${who} <NA> <NA>`; // oxfmt-ignore
    const truth = () =>
      file('talk.rttm', [';; made by hand', line(0, 2, 'anna'), line(2, 2, 'bert')].join('\n'));
    const talk = (tracks: readonly SomeTrack[]) => document([{ name: 'talk.wav', type: 'AUDIO', tracks }]);
    const speechTrack = (from: number, to: number, who?: string): SomeTrack => ({ type: 'SPEECH', time: [from, to], properties: who === undefined ? {} : { SPEAKER_ID: who } }); // oxfmt-ignore

    it('tells what is missed and wrong, and which speakers are confused if the document names them', async () => {
      const found = talk([
        speechTrack(0, 2_500, '1'),
        speechTrack(2_500, 3_500, '2'),
        speechTrack(5_000, 5_400, '2'),
      ]);
      const { speech } = await runEvaluation(truth(), found);
      expect(speech?.measure).to.equal('diarization');
      expect(speech?.overall).to.include({ spokenMs: 4_000, missedMs: 500, falseAlarmMs: 400, confusedMs: 500, errorRate: 0.35 }); // oxfmt-ignore
      expect(await runEvaluate(truth(), found)).to.match(/^talk\.wav +4\.00 +0\.50 +0\.40 +0\.50 +12\.5 % +10\.0 % +12\.5 % +35\.0 %$/m); // oxfmt-ignore
    });

    it('judges only whether somebody speaks where it names none, outside of a collar', async () => {
      const { speech, notes } = await runEvaluation(
        truth(),
        talk([speechTrack(200, 3_500)]),
        '--collar',
        '0.25',
      );
      expect(speech).to.deep.include({ measure: 'speech detection' });
      expect(speech?.overall).to.include({ spokenMs: 3_500, missedMs: 250, falseAlarmMs: 0 });
      expect(notes.join()).to.include('names no speakers');
    });

    it('counts all as missed where nothing was found, and asks where others found something', async () => {
      expect((await runEvaluation(truth(), talk([]))).speech?.overall).to.include({ missRate: 1 });
      const music = talk([{ type: 'MUSIC', time: [0, 9] }]);
      expect(await refusalOf(truth(), music)).to.include('The document has no SPEECH here: it has MUSIC.');
      expect((await runEvaluation(truth(), music, '--type', 'speech')).speech?.overall.missRate).to.equal(1);
    });
  });

  describe('with a transcript', () => {
    const speechTrack = (text: string, from = 0): SomeTrack => ({ type: 'SPEECH', time: [from, from + 900], properties: { TRANSCRIPT: text } }); // oxfmt-ignore
    const talk = () => document([{ name: 'talk.wav', type: 'AUDIO', tracks: [speechTrack('Tenn metres!', 1_000), speechTrack('Go forward')] }]); // oxfmt-ignore

    it('tells the errors of words and characters, whatever the form of the text', async () => {
      const cues =
        '00:00:00.500 --> 00:00:01.500\n<v Anna>Go <i>forward</i>\n\n2\n00:00:02.000 --> 00:00:03.000\nten metres.\n';
      const texts = {
        'plain.txt': 'go forward\nten metres',
        'a.vtt': `WEBVTT\n\nNOTE never said\n\n1\n${cues}`,
        'a.srt': `1\n${cues.replaceAll('.500', ',500').replaceAll('.000', ',000')}`,
      };
      for (const [name, content] of Object.entries(texts)) {
        const { text } = await runEvaluation(file(name, content), talk());
        expect(text?.words, name).to.include({ wanted: 4, found: 4, substitutions: 1, errorRate: 0.25 });
        expect(text?.characters, name).to.include({ wanted: 21, insertions: 1 });
      }
      const exact = await runEvaluation(file('plain.txt', texts['plain.txt']), talk(), '--exact');
      expect(exact.text?.words.errorRate).to.equal(0.75);
      const lines = await runEvaluate(file('plain.txt', texts['plain.txt']), talk());
      expect(lines)
        .to.match(/^words +4 +4 +1 +0 +0 +25\.0 %$/m)
        .and.to.match(/^characters +21 +22 +0 +0 +1 +4\.8 %$/m);
    });

    it('omits errors of characters if there are very many, and refuses a truth of another text', async () => {
      const words = (count: number, word: string) => Array.from({ length: count }, () => word).join(' ');
      const { text, notes } = await runEvaluation(file('a.txt', words(9_000, 'one')), talk());
      expect(text?.characters).to.equal(null);
      expect(text?.words).to.include({ wanted: 9_000, found: 4, substitutions: 4 });
      expect(notes.join()).to.include('More than 20000 characters differ');
      const other = await refusalOf(file('a.txt', words(60_000, 'one')), talk());
      expect(other).to.equal(
        'Truth and document differ in more than 50000 words: is it the text of another recording?',
      );
    });

    it('takes what is written in a picture from top to bottom, and another property when told so', async () => {
      const word = (text: string, x: number, y: number): SomeTrack => ({ type: 'TEXT', properties: { TEXT: text, TRANSLATION: 'x' }, boxes: [[0, x, y, 30, 9, 1]] }); // oxfmt-ignore
      const found = document([{ name: 'a.png', tracks: [word('world', 40, 10), word('again', 0, 30), word('Hello', 0, 10)] }]); // oxfmt-ignore
      const truth = file('a.txt', 'hello, world again');
      expect((await runEvaluation(truth, found)).text?.words.errorRate).to.equal(0);
      expect((await runEvaluation(truth, found, '--text-property', 'TRANSLATION')).text?.words).to.include({ found: 3, errorRate: 1 }); // oxfmt-ignore
      const none = document([{ name: 'a.png', tracks: [boxTrack('dog', [[0, 0, 0, 9, 9, 1]])] }]);
      expect(await refusalOf(truth, none)).to.include(
        'The document has no TRANSCRIPT or TEXT here: it has CLASS.',
      );
    });
  });

  it('says in a sentence what is wrong with a truth or a document', async () => {
    const found = document([{ name: 'a.png' }, { name: 'b.mp4', type: 'VIDEO', frames: 9 }]);
    const cases: readonly (readonly [truth: unknown, sentence: string])[] = [
      ['', 'is empty.'],
      ['[{"bbox":[1,2,3,4]}]', 'is a JSON list, as COCO results are'],
      ['{"images":[', 'is not valid JSON: '],
      [{ images: [], annotations: [] }, 'has no images'],
      [coco(['a.png'], []), 'has no annotation with a bbox.'],
      [{ ...coco(['a.png'], [[0, 'x', 1, 1, 2, 2]]), categories: [] }, 'has annotations of categories that it does not list.'], // oxfmt-ignore
      [coco(['z.png'], [[0, 'x', 1, 1, 2, 2]]), 'None of the 1 pictures of the truth (z.png) is among the media of the document (a.png, b.mp4).'], // oxfmt-ignore
      ['<html></html>', 'is not a CVAT file: it begins with <html>'],
      ['<annotations><track id="0" label="a"><box frame="0" xtl="1"/></track></annotations>', 'has a box whose ytl is no number.'], // oxfmt-ignore
      ['<annotations>', 'is not valid XML: '],
      ['<annotations></annotations>', 'has no boxes.'],
      ['<!DOCTYPE a [<!ENTITY b "c">]><annotations>&b;</annotations>', 'is not valid XML: '],
      ['<annotations><track id="0" label="a"><box frame="999999999999" xtl="1" ytl="1" xbr="2" ybr="2"/></track></annotations>', 'has a box whose frame is 999999999999.'], // oxfmt-ignore
      ['1,1,1,1,1,1\n2,1,1,1,1,1\n3,x,1,1,1,1\n', 'line 3: a line of MOT is frame'],
      ['0,1,1,1,1,1,1\n0,1,1,1,1,1,1\n', 'line 1: a line of MOT is frame'],
      ['SPEAKER a 1 0 1 <NA> <NA> x <NA>\nSPEAKER a 1 0 -1 <NA> <NA> x <NA>\nSPEAKER a 1 0 1 <NA> <NA> x <NA>\n', 'line 2: a line of RTTM is SPEAKER'], // oxfmt-ignore
      ['\u0000\u0001\u0002', 'has an unknown format. Supported formats: coco, cvat'],
    ];
    for (const [truth, sentence] of cases)
      expect(await refusalOf(file('truth', truth), found)).to.include(sentence);
    expect(await refusalOf('nowhere.json', found)).to.equal('There is no file nowhere.json.');
    expect(await refusalOf('.', found)).to.include('is a folder');
    const good = file('good.json', coco(['a.png'], [[0, 'x', 1, 1, 2, 2]]));
    expect(await refusalOf(good, 'nowhere.json')).to.include('nowhere.json is not a file');
    expect(await refusalOf(good, good)).to.include('has no media: is it a detection document');
    expect(await refusalOf(good, file('half.json', '{"media":[{"mediaId":1,'))).to.include('half.json cannot be read completely'); // oxfmt-ignore
    expect(await refusalOf(good, found, '--format', 'yolo')).to.include('--format must be one of coco, cvat');
    expect(await refusalOf(good, found, '--format', 'rttm')).to.include('a line of RTTM is SPEAKER');
    expect(await refusalOf(good, found, '--map', 'x')).to.include('Write TRUTH=FOUND.');
    expect(await refusalOf(good, found, '--iou', '2')).to.include('It is a number from 0 to 1.');
  });

  it('holds as many boxes in memory as it may, and says so when there are more', async () => {
    const boxes = Array.from({ length: 40 }, (_, frame) => [frame, 0, 0, 10, 10, 1]);
    const found = document([{ name: 'b.mp4', type: 'VIDEO', frames: 40, tracks: [boxTrack('x', boxes)] }]);
    const truth = file('truth.xml', '<annotations><track id="0" label="x"><box frame="0" xtl="1" ytl="1" xbr="2" ybr="2"/></track></annotations>'); // oxfmt-ignore
    expect(await refusalOf(truth, found, '--limit', '39')).to.include('The document has more than 39 boxes (--limit)'); // oxfmt-ignore
    const endless = '<annotations><meta><task><stop_frame>90000000</stop_frame></task></meta><track id="0" label="x"><box frame="0" xtl="1" ytl="1" xbr="2" ybr="2"/></track></annotations>'; // oxfmt-ignore
    expect(await refusalOf(file('endless.xml', endless), found, '--limit', '1000')).to.include('The truth has more than 1000 boxes'); // oxfmt-ignore
  });
});
