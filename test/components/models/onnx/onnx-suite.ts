/** User-supplied models: one file below MODEL_ROOTS and one property. The tests write all models. */
import { expect } from 'chai';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Hints } from '../../../../components/shared/onnx-session/hints.ts';
import { ModelStore } from '../../../../components/models/onnx/model-store.ts';
import {
  colourModel,
  endlessModel,
  node,
  modelOf,
  pictureModel,
  tensor,
} from '../../../support/media/onnx-model.ts';
import { BLACK, CAT_AND_DOG, ModelFolder, NAMES, summaryOf, WHITE, yoloModel } from './own-model.ts';
import { NO_TILES } from '../../../../components/shared/networks/tiles.ts';
import { all, descriptorOf, paintVideo, picture, spans } from '../../visual.ts';

/** In the picture of 64 x 32, which a letterbox shows at half its size with 8 rows above it. */
const IN_PICTURE = [
  ['cat', 0.9, 24, 8, 16, 16],
  ['dog', 0.8, 48, 4, 12, 24],
];

/** `isLong`: includes larger variations and other values of the same cases. */
export function onnx({ isLong }: { readonly isLong: boolean }): void {
  describe('A model of one’s own', () => {
    let models: ModelFolder;
    before(async () => {
      models = await ModelFolder.open();
      await models.write('usual.onnx', yoloModel());
    });
    after(() => models.close());

    it('is named by one property, with or without its ending, in its own folder or others', async () => {
      for (const file of ['cats.onnx', 'far/below/cats.onnx', 'own/model.onnx', 'hub/onnx/only.onnx'])
        await models.write(file, yoloModel());
      for (const name of [
        'cats.onnx',
        'cats',
        path.join(models.path, 'cats.onnx'),
        'far/below/cats',
        'own',
        'hub',
      ])
        expect(summaryOf(await models.inImage(name)), name).to.deep.equal(IN_PICTURE);
    });

    it('follows through a video what it finds, each class on its own', async () => {
      await models.write('light.onnx', yoloModel({ boxes: [[16, 16, 8, 8, 0, 0.05]], light: 0.9 }));
      const isLit = (frame: number) => frame < 8 || frame > 20;
      const video = paintVideo({ width: 64, height: 32, frames: 24 }, (_x, y, frame) =>
        isLit(frame) ? [255, 255, 255] : y < 0 ? [1, 1, 1] : [0, 0, 0],
      );
      const tracks = await all(
        models.detector.video!(video, await models.job('light', { QUALITY_SELECTION_THRESHOLD: '0.4' })),
      );
      expect(spans(tracks)).to.deep.equal([
        [0, 7],
        [21, 23],
      ]);
      expect(new Set(tracks.map(({ properties }) => properties?.['CLASSIFICATION']))).to.deep.equal(
        new Set(['dog']),
      );
    });

    it('reports nothing of a warm-up', async () => {
      const video = paintVideo({ width: 64, height: 32, frames: 6, start: 3 }, () => [255, 255, 255]);
      expect(spans(await all(models.detector.video!(video, await models.job('usual'))))).to.deep.equal([
        [3, 5],
        [3, 5],
      ]);
    });

    const ways = [
      ['four together', ['batch', 3, 32, 32], '4'],
      ['as many together as the model has places for', [3, 3, 32, 32], '1'],
      ['alone', [1, 3, 32, 32], '4'],
      ['by a model that takes pictures of any size', ['batch', 3, 'height', 'width'], '2'],
    ] as const;
    for (const [what, dims, batch] of isLong ? ways : ways.slice(0, 2))
      it(`finds the same in frames that are looked at ${what}`, async () => {
        await models.write('any.onnx', yoloModel({ dims, boxes: [[16, 16, 8, 8, 0.1, 0]], light: 0.8 }));
        const video = paintVideo({ width: 64, height: 32, frames: 10 }, (_x, _y, frame) =>
          frame === 4 ? [0, 0, 0] : [255, 255, 255],
        );
        const job = await models.job('any', {
          DETECTION_FRAME_BATCH_SIZE: batch,
          NET_INPUT_IMAGE_SIZE: '32',
          TRACKING_MAX_FRAME_GAP: '0',
          QUALITY_SELECTION_THRESHOLD: '0.3',
        });
        const tracks = await all(models.detector.video!(video, job));
        expect(spans(tracks)).to.deep.equal([
          [0, 3],
          [5, 9],
        ]);
      });

    for (const type of isLong ? (['float16', 'uint8', 'int8'] as const) : (['uint8'] as const))
      it(`is given ${type} where it wants that`, async () => {
        const [input, metadata] = [
          { name: 'images', dims: [1, 3, 8, 8], type },
          { task: 'classify', names: '["r","g","b"]' },
        ];
        await models.write('typed.onnx', colourModel(input, 'feature', metadata));
        const frame = picture(16, 16, () => [255, 128, 0]);
        const [track] = await models.inImage('typed', frame, {
          MODEL_TYPE: 'EMBEDDING',
          INPUT_MEAN: '0',
          INPUT_STD: '1',
        });
        const vector = vectorOf(track!.properties!['FEATURE']!);
        const wanted = { float16: [1, 128 / 255, 0], uint8: [255, 128, 0], int8: [127, 0, -128] }[type];
        vector.forEach((value, i) => expect(value).to.be.closeTo(wanted[i]!, 0.001));
      });

    it('looks at a large picture as a whole and in tiles, and at a smaller one once', async () => {
      const large = await models.inImage(
        'usual',
        picture(128, 32, () => [255, 255, 255]),
      );
      const cats = summaryOf(large).filter(([name]) => name === 'cat');
      expect(cats.map(([, , x, y, width, height]) => [x, y, width, height])).to.have.deep.members([
        [48, 0, 32, 32],
        ...[0, 24, 48, 72, 96].map((start) => [start + 12, 12, 8, 8]),
      ]);
      expect(summaryOf(await models.inImage('usual', WHITE))).to.deep.equal(IN_PICTURE);
      const once = await models.inImage(
        'usual',
        picture(128, 32, () => [255, 255, 255]),
        { TILE_SIZE: '0' },
      );
      expect(once).to.have.length(2);
    });

    it('finds the same in tiles that are looked at one by one and several together', async () => {
      await models.write('any.onnx', yoloModel({ dims: ['batch', 3, 32, 32] }));
      const find = async (batch: string) => {
        const video = paintVideo({ width: 160, height: 96, frames: 5 }, () => [255, 255, 255]);
        const properties = { TILE_SIZE: '64', DETECTION_FRAME_BATCH_SIZE: batch };
        return all(models.detector.video!(video, await models.job('any', properties)));
      };
      const single = await find('1');
      expect(single.length).to.be.greaterThan(6);
      expect(await find('4')).to.deep.equal(single);
    });

    it('names what a picture shows as a whole, with as many classes as are asked for', async () => {
      const metadata = { task: 'classify', names: "{0: 'red', 1: 'green', 2: 'blue'}" };
      await models.write(
        'colours.onnx',
        colourModel({ name: 'images', dims: [1, 3, 8, 8] }, 'output0', metadata),
      );
      const frame = picture(20, 10, () => [51, 204, 51]);
      expect(
        summaryOf(await models.inImage('colours', frame, { QUALITY_SELECTION_THRESHOLD: '0' })),
      ).to.deep.equal([['green', 0.8, 0, 0, 20, 10]]);
      const wide = picture(200, 10, () => [51, 204, 51]);
      expect(await models.inImage('colours', wide, { QUALITY_SELECTION_THRESHOLD: '0' })).to.have.length(1);
      const [track] = await models.inImage('colours', frame, {
        QUALITY_SELECTION_THRESHOLD: '0',
        NUMBER_OF_CLASSIFICATIONS_PER_REGION: '2',
      });
      expect(track!.properties).to.include({ CLASSIFICATION: 'green', 'CLASSIFICATION LIST': 'green; red' });
      expect(track!.properties!['CLASSIFICATION CONFIDENCE LIST']).to.match(/^0.8; 0.2$/);
    });

    it('makes a vector of a picture, as base64 of floats of 32 bits', async () => {
      await models.write(
        'vector.onnx',
        colourModel({ name: 'pixel_values', dims: ['n', 3, 'h', 'w'] }, 'image_embeds'),
      );
      await models.write('vector.json', {
        INPUT_MEAN: [0, 0, 0],
        INPUT_STD: [1, 1, 1],
        NET_INPUT_IMAGE_SIZE: 16,
      });
      const [track] = await models.inImage(
        'vector',
        picture(9, 9, () => [255, 0, 51]),
      );
      expect(track!.confidence).to.equal(1);
      expect(vectorOf(track!.properties!['FEATURE']!).map((value) => Number(value.toFixed(3)))).to.deep.equal(
        [1, 0, 0.2],
      );
    });

    it("is described by properties, then by its sidecar, the file, and Hugging Face's files", async () => {
      const input = { name: 'pixel_values', dims: [1, 3, 8, 8] };
      await models.write('hf/onnx/model.onnx', colourModel(input, 'logits'));
      await models.write('hf/config.json', {
        architectures: ['ViTForImageClassification'],
        id2label: { 0: 'rouge', 1: 'vert', 2: 'bleu' },
      });
      await models.write('hf/preprocessor_config.json', {
        image_mean: [0.5, 0.5, 0.5],
        image_std: [0.5, 0.5, 0.5],
        size: { height: 8, width: 8 },
      });
      const [low] = [{ QUALITY_SELECTION_THRESHOLD: '0' }];
      const blue = picture(8, 8, () => [0, 0, 255]);
      const warningsOf = async (properties = {}) =>
        summaryOf(await models.inImage('hf', blue, { ...low, ...properties }))[0]!.slice(0, 2);
      // The softmax of -1, -1 and 1 is 0.11, 0.11 and 0.79.
      expect(await warningsOf()).to.deep.equal(['bleu', 0.79]);
      await models.write('hf/onnx/model.json', { CLASS_NAMES: ['r', 'g', 'b'], PIXEL_FORMAT: 'BGR' });
      expect(await warningsOf()).to.deep.equal(['r', 0.79]);
      await models.write('names.txt', 'one\r\ntwo\nthree\n\n');
      expect(await warningsOf({ PIXEL_FORMAT: 'RGB', CLASS_NAMES_FILE: 'names.txt' })).to.deep.equal([
        'three',
        0.79,
      ]);
    });

    it('stretches pictures where it is told to, and finds the same places', async () => {
      expect(summaryOf(await models.inImage('usual', WHITE, { INPUT_RESIZE: 'STRETCH' }))).to.deep.equal([
        ['cat', 0.9, 24, 12, 16, 8],
        ['dog', 0.8, 48, 10, 12, 12],
      ]);
    });

    it('reports the classes that are allowed and not denied', async () => {
      await models.write('pets.txt', 'Dog\nunicorn\n');
      const detectNamed = async (properties: Record<string, string>) =>
        summaryOf(await models.inImage('usual', WHITE, properties)).map(([name]) => name);
      expect(await detectNamed({ CLASS_ALLOW_LIST: ' CAT ' })).to.deep.equal(['cat']);
      expect(await detectNamed({ CLASS_DENY_LIST: 'cat' })).to.deep.equal(['dog']);
      expect(await detectNamed({ CLASS_ALLOW_LIST_FILE: 'pets.txt' })).to.deep.equal(['dog']);
      const { code, message } = await models.refusal('usual', { CLASS_ALLOW_LIST: 'unicorn' });
      expect([code, message]).to.deep.equal([
        'INVALID_PROPERTY',
        'CLASS_ALLOW_LIST or CLASS_DENY_LIST names "unicorn", which is no class of the model usual. Classes: cat; dog.',
      ]);
    });

    it('may keep its weights in a file beside it', async () => {
      const graph = {
        nodes: [
          node('ReduceMean', ['images'], ['mean'], { axes: [2, 3], keepdims: 0 }),
          node('Add', ['mean', 'weights'], ['logits']),
        ],
        constants: [tensor('weights', [1, 3], [], 'float32', 'beside.bin')],
        inputs: [{ name: 'images', dims: [1, 3, 8, 8] }],
        outputs: [{ name: 'logits', dims: [1, 3] }],
      };
      await models.write('apart/model.onnx', modelOf(graph));
      await models.write('apart/beside.bin', Buffer.from(Float32Array.of(0, 0, 9).buffer));
      expect(summaryOf(await models.inImage('apart', BLACK)).map(([name]) => name)).to.deep.equal([
        'class 2',
      ]);
    });

    it('has scores above 1: a warning says that its outputs mean something else', async () => {
      await models.write('logits.onnx', yoloModel({ boxes: [[16, 16, 8, 8, 7.5, -3]] }));
      const warnings: string[] = [];
      const job = { ...(await models.job('logits')), warn: (text: string) => void warnings.push(text) };
      await all(models.detector.image!(WHITE, job));
      expect(warnings).to.deep.equal([
        'The model logits has scores above 1: its outputs are not what MODEL_TYPE YOLO means. Set another MODEL_TYPE, or export the model with scores from 0 to 1.',
      ]);
    });

    if (isLong)
      it('may have 20,000 classes', async () => {
        const names = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `thing ${i}`));
        const scores = Array.from({ length: 20_000 }, (_, i) => (i === 19_998 ? 0.7 : 0));
        const boxes = [[16, 16, 8, 8, ...scores]];
        await models.write('many.onnx', yoloModel({ boxes, metadata: { ...NAMES, names } }));
        expect(summaryOf(await models.inImage('many')).map(([name]) => name)).to.deep.equal(['thing 19998']);
      });

    it('is looked at anew when another file is put in its place', async () => {
      await models.write('new.onnx', yoloModel());
      expect(summaryOf(await models.inImage('new'))).to.deep.equal(IN_PICTURE);
      await models.write('new.onnx', yoloModel({ boxes: [CAT_AND_DOG[0]] }));
      expect(summaryOf(await models.inImage('new'))).to.deep.equal(IN_PICTURE.slice(0, 1));
    });

    it('has its algorithm in two pipelines', async () => {
      const { algorithm, pipelines } = await descriptorOf('onnx');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['ONNX', 'CLASS']);
      expect(pipelines.map(({ name }) => name)).to.deep.equal([
        'ONNX DETECTION PIPELINE',
        'ONNX CLASSIFICATION PIPELINE',
      ]);
    });
  });

  describe('The models that a process has loaded', () => {
    const options = { threads: 1, provider: 'cpu' };
    const signal = new AbortController().signal;

    it('are shared by all jobs, also by those that use them in another way', async () => {
      const models = await ModelFolder.open();
      await models.write('shared.onnx', yoloModel());
      const store = new ModelStore({ roots: [models.path], loaded: 2, checkMs: 60_000 });
      const ask = (hints: Hints = {}) => store.network({ name: 'shared', hints, options }, signal);
      const first = await ask();
      expect(await ask()).to.equal(first);
      expect(await ask({ resize: 'STRETCH' })).to.not.equal(first);
      expect(await ask()).to.equal(first);
      expect(store.loaded).to.have.length(1);
      await store.close();
      await models.close();
    });

    it('are as many as MODELS_LOADED says: the least recently used is unloaded, and loads again', async () => {
      const models = await ModelFolder.open();
      const store = new ModelStore({ roots: [models.path], loaded: 2, checkMs: 60_000 });
      const names = () => store.loaded.map((one) => /(\w+)\.onnx/.exec(one)?.[1]);
      for (const name of ['a', 'b', 'c']) await models.write(`${name}.onnx`, yoloModel());
      for (const name of ['a', 'b', 'a', 'c']) await store.network({ name, hints: {}, options }, signal);
      expect(names()).to.deep.equal(['a', 'c']);
      const again = await store.network({ name: 'b', hints: {}, options }, signal);
      expect(names()).to.deep.equal(['c', 'b']);
      const search = { threshold: 0.5, top: 1, sameOverlap: 0.3, features: false };
      async function* frames() {
        yield WHITE;
      }
      const [looked] = await all(
        again.find(frames(), { search, tiling: NO_TILES, load: { together: 1, parts: 1 }, job: { signal } }),
      );
      expect(looked!.found).to.have.length(2);
      await store.close();
      expect(names()).to.deep.equal([]);
      await models.close();
    });
  });

  describe('A model that cannot be used', () => {
    let models: ModelFolder;
    before(async () => {
      models = await ModelFolder.open({ checkMs: 20_000 });
    });
    after(() => models.close());

    const input = { name: 'images', dims: [1, 3, 8, 8] };

    it('is not named, or not there: the error says where it belongs and which there are', async () => {
      const single = await ModelFolder.open();
      await single.write('a.onnx', yoloModel());
      expect(await single.refusal('')).to.include({ code: 'MISSING_PROPERTY' });
      expect((await single.refusal('b')).message).to.equal(
        'There is no model b below the folders of the setting MODEL_ROOTS of this host: put the file there, or set MODEL_NAME to one that is. There are a.onnx.',
      );
      await single.close();
    });

    it('lies outside of the roots, by its name or by a link', async () => {
      const outside = await ModelFolder.open();
      const file = await outside.write('out.onnx', yoloModel());
      await symlink(file, path.join(models.path, 'link.onnx'));
      await symlink(outside.path, path.join(models.path, 'folder'));
      const up = path.relative(models.path, file);
      for (const name of [
        file,
        up,
        'link.onnx',
        'link',
        'folder/out.onnx',
        'folder',
        '/etc/passwd',
        'a\0.onnx',
      ])
        expect((await models.refusal(name)).message, name).to.match(
          /is not in a folder of the setting MODEL_ROOTS/,
        );
      await outside.close();
    });

    for (const [what, content, message] of [
      ['is empty', '', /^The file wrong\.onnx is empty \(0 bytes\): copy/],
      ['is a text', 'Not found\n', /^The file wrong\.onnx is not an ONNX model: .*[Ee]xport/],
      ['is a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\n', /Git LFS/],
      ['breaks off', yoloModel().subarray(0, 200), /not an ONNX model: It is cut off/],
    ] as const)
      it(what, async () => {
        await models.write('wrong.onnx', content);
        const refusal = await models.refusal('wrong.onnx');
        expect(refusal.code).to.equal('COULD_NOT_READ_DATAFILE');
        expect(refusal.message).to.match(message);
      });

    it('keeps its weights outside of its folder', async () => {
      await mkdir(path.join(models.path, 'deep'));
      await writeFile(path.join(models.path, 'weights'), Buffer.alloc(12));
      const external = modelOf({
        nodes: [
          node('ReduceMean', ['images'], ['mean'], { axes: [2, 3], keepdims: 0 }),
          node('Add', ['mean', 'w'], ['logits']),
        ],
        constants: [tensor('w', [1, 3], [], 'float32', '../weights')],
        inputs: [input],
        outputs: [{ name: 'logits', dims: [1, 3] }],
      });
      await models.write('deep/external.onnx', external);
      expect((await models.refusal('deep/external')).message).to.equal(
        'The model deep/external keeps its weights in "../weights", outside of its own folder: export it with the weights in one file, or in a file beside it.',
      );
    });

    it('never ends: it is ended, and the error names it', async () => {
      const hasty = await ModelFolder.open({ checkMs: 1_500 });
      await hasty.write('endless.onnx', endlessModel(input));
      const refusal = await hasty.refusal('endless');
      expect(refusal.code).to.equal('DETECTION_NOT_INITIALIZED');
      expect(refusal.message).to.match(
        /^The model endless had not answered within 1500 ms \(MODEL_CHECK_MS\) and was stopped/,
      );
      await hasty.close();
    });

    it('needs more memory than it may have: its process alone is ended, and the error names it', async () => {
      const small = await ModelFolder.open({ maxMemory: 300 * 1024 ** 2 });
      const size = [1, 20, 5_000_000];
      const graph = {
        nodes: [node('ConstantOfShape', ['size'], ['output0'])],
        constants: [tensor('size', [3], size, 'int64')],
        inputs: [input],
        outputs: [{ name: 'output0', dims: size }],
      };
      await small.write('large.onnx', modelOf(graph));
      const refusal = await small.refusal('large');
      expect(refusal.code).to.equal('DETECTION_NOT_INITIALIZED');
      expect(refusal.message).to.match(
        /^The model large ended the process that tried it \(SIGKILL: it needs more than 300 MiB of memory \(MAX_COMPONENT_MEMORY\)\)/,
      );
      await small.close();
    });

    it('cannot be loaded by the runtime, which says why', async () => {
      await models.write(
        'strange.onnx',
        modelOf({
          nodes: [node('NoSuchOperator', ['images'], ['x'])],
          inputs: [input],
          outputs: [{ name: 'x', dims: [1, 3] }],
        }),
      );
      expect((await models.refusal('strange')).message).to.match(
        /^The model strange cannot be loaded: .*NoSuchOperator.* Copy the file again/,
      );
    });

    it('is to be computed by something that the host does not have', async () => {
      await models.write('plain.onnx', yoloModel());
      const { code, message } = await models.refusal('plain', { EXECUTION_PROVIDER: 'DML' });
      expect(code).to.equal('GPU_ERROR');
      expect(message).to.match(
        /^EXECUTION_PROVIDER DML cannot be used on this host for the model plain: .*\. Install what it needs, or set EXECUTION_PROVIDER to CPU\.$/,
      );
    });

    it('takes something else than a picture', async () => {
      await models.write(
        'words.onnx',
        modelOf({
          nodes: [node('Identity', ['ids'], ['x'])],
          inputs: [{ name: 'ids', dims: [1, 8], type: 'int64' }],
          outputs: [{ name: 'x', dims: [1, 8], type: 'int64' }],
        }),
      );
      expect((await models.refusal('words')).message).to.match(
        /^The model words wants ids \[1, 8\] of int64: only models that take one picture/,
      );
    });

    it('has outputs that fit no rule: the error tells their shapes and the nearest rule', async () => {
      const strange = { name: 'maps', dims: [7, 5, 9], values: Array.from({ length: 315 }, () => 0) };
      await models.write('maps.onnx', pictureModel({ input, outputs: [strange] }));
      expect((await models.refusal('maps')).message).to.match(
        /^The model maps fits no rule: it answers maps \[1, 7, 5, 9\]\. The nearest rule is /,
      );
      await models.write(
        'three.onnx',
        yoloModel({
          boxes: Array.from({ length: 8 }, () => CAT_AND_DOG[0]),
          metadata: { ...NAMES, names: "{0: 'a', 1: 'b', 2: 'c'}" },
        }),
      );
      expect((await models.refusal('three')).message).to.equal(
        'The model three fits no rule: it answers output0 [1, 6, 8]. The nearest rule is YOLO, [1, 4 + classes, boxes], but that would be 2 classes, and there are names for 3. Give the names that belong to the model (CLASS_NAMES_FILE, or CLASS_NAMES in a sidecar file).',
      );
    });

    it('may be a classifier as well as a maker of vectors: the error says how to tell', async () => {
      await models.write('either.onnx', colourModel(input, 'out'));
      expect((await models.refusal('either')).message).to.match(
        /set MODEL_TYPE to CLASSIFICATION or EMBEDDING\.$/,
      );
      expect(
        await models.inImage('either', BLACK, {
          MODEL_TYPE: 'CLASSIFICATION',
          QUALITY_SELECTION_THRESHOLD: '0',
        }),
      ).to.have.length(1);
    });

    it('is described by wrong values: the error names property or file', async () => {
      await models.write('fine.onnx', yoloModel());
      for (const [name, value] of [
        ['MODEL_TYPE', 'YOLO12'],
        ['INPUT_MEAN', '1,2'],
        ['INPUT_STD', '0'],
        ['NET_INPUT_IMAGE_SIZE', '0'],
        ['CLASS_NAMES_FILE', '../../etc/passwd'],
        ['EXECUTION_PROVIDER', 'ABACUS'],
        ['DETECTION_NMS_THRESHOLD', '2'],
      ] as const)
        expect((await models.refusal('fine', { [name]: value })).message, name).to.include(name);
      await models.write('fine.json', '{ "INPUT_SIZE": 640 }');
      expect((await models.refusal('fine')).message).to.match(
        /^INPUT_SIZE in fine\.json says nothing of a model; it may have CLASS_NAMES, MODEL_TYPE/,
      );
      await models.write('fine.json', 'no JSON');
      expect((await models.refusal('fine')).message).to.match(
        /^The file fine\.json beside the model is not a JSON object/,
      );
    });
  });
}

const vectorOf = (base64: string): number[] => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
};
