/** Models on a KServe v2 server give the same results as the same model files. */
import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FoundTrack } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { colourModel, pictureModel } from '../../support/media/onnx-model.ts';
import { NAMES, summaryOf, yoloModel } from './onnx/own-model.ts';
import { ServedFolder } from './served-model.ts';
import { all, descriptorOf, jobOf, paintVideo, picture, spans } from '../visual.ts';

const PETS = { parameters: { CLASS_NAMES: '["cat", "dog"]' } };
const LOW = { QUALITY_SELECTION_THRESHOLD: '0' };

/** `isLong`: includes larger variations and other values of the same cases. */
export function kserve({ isLong }: { readonly isLong: boolean }): void {
  describe('A model on a server', () => {
    let models: ServedFolder;
    before(async () => {
      models = await ServedFolder.open();
    });
    after(() => models.close());

    const video = (frames = 10) =>
      paintVideo({ width: 64, height: 32, frames }, (_x, _y, frame) =>
        frame === 4 ? [0, 0, 0] : [255, 255, 255],
      );

    /** The results of both for a picture and a video. */
    async function both(
      name: string,
      properties: Properties = {},
    ): Promise<readonly (readonly FoundTrack[])[]> {
      const frame = picture(64, 32, (x, y) => [x * 4, y * 8, (x * y) & 255]);
      const [asked, own] = [
        await models.job(name, properties),
        await jobOf('onnx', { MODEL_NAME: name, ...properties }),
      ];
      return [
        [
          ...(await all(models.detector.image!(frame, asked))),
          ...(await all(models.detector.video!(video(), asked))),
        ],
        [...(await all(models.local.image!(frame, own))), ...(await all(models.local.video!(video(), own)))],
      ];
    }

    const detr = pictureModel({
      input: { name: 'pixel_values', dims: ['n', 3, 32, 32] },
      outputs: [
        {
          name: 'logits',
          dims: [2, 2],
          values: [2, -3, -4, 1],
          light: [0, 0, 0, 0],
        },
        {
          name: 'pred_boxes',
          dims: [2, 4],
          values: [0.5, 0.5, 0.2, 0.2, 0.8, 0.5, 0.2, 0.4],
          light: Array.from({ length: 8 }, () => 0),
        },
      ],
      metadata: NAMES,
    });
    const sized = pictureModel({
      input: { name: 'images', dims: [1, 3, 32, 32] },
      others: [{ name: 'orig_target_sizes', dims: [1, 2], type: 'int64' }],
      outputs: [
        { name: 'labels', dims: [2], values: [0, 1], type: 'int64' },
        { name: 'boxes', dims: [2, 4], values: [4, 4, 12, 12, 16, 8, 24, 30] },
        { name: 'scores', dims: [2], values: [0.9, 0.7] },
      ],
      metadata: NAMES,
    });
    const vectors = pictureModel({
      input: { name: 'images', dims: ['n', 3, 32, 32] },
      outputs: [
        { name: 'output0', dims: [6, 1], values: [16, 16, 8, 8, 0.9, 0], light: [0, 0, 0, 0, 0, 0] },
        { name: 'embeddings', dims: [1, 3], values: [0.5, 1.5, 2.5], light: [0, 0, 0] },
      ],
      metadata: NAMES,
    });
    const colours = { name: 'images', dims: [1, 3, 8, 8] } as const;

    const kinds = [
      [
        'boxes of YOLO, which come and go',
        yoloModel({ boxes: [[16, 16, 8, 8, 0.1, 0]], light: 0.8 }),
        { TRACKING_MAX_FRAME_GAP: '0' },
      ],
      [
        'boxes in tiles of a picture much larger than the network',
        yoloModel({ dims: [1, 3, 16, 16], boxes: [[8, 8, 4, 4, 0.9, 0.05]] }),
        { NET_INPUT_IMAGE_SIZE: '16' },
      ],
      ['logits and boxes of the family of DETR', detr, {}],
      [
        'boxes of YOLO with the vector of each, as tracks of another type',
        vectors,
        { INCLUDE_FEATURES: 'TRUE', TRACK_TYPE: 'PET' },
      ],
      ['labels, boxes and scores, by the size that it is given', sized, {}],
      [
        'classes of pictures as a whole',
        colourModel(colours, 'logits', { ...NAMES, task: 'classify', names: "{0:'r',1:'g',2:'b'}" }),
        {
          ...LOW,
          NUMBER_OF_CLASSIFICATIONS_PER_REGION: '2',
          CLASS_NAMES_FILE: 'rgb.txt',
          INPUT_MEAN: '0',
          INPUT_STD: '1',
        },
      ],
      ['vectors', colourModel(colours, 'image_embeds'), {}],
      ['vectors of 16-bit floats', colourModel({ ...colours, type: 'float16' }, 'image_embeds'), {}],
      ['vectors of bytes', colourModel({ ...colours, type: 'uint8' }, 'image_embeds'), {}],
      ['vectors of bytes with a sign', colourModel({ ...colours, type: 'int8' }, 'image_embeds'), {}],
    ] as const;
    // The last ones are vectors with other number types.
    for (const [what, model, properties] of isLong ? kinds : kinds.slice(0, -3))
      it(`finds what the same file finds: ${what}`, async () => {
        await writeFile(path.join(models.path, 'rgb.txt'), 'r\ng\nb\n');
        const name = what.replaceAll(/\W+/g, '-');
        await models.write(name, model, PETS);
        const [served, own] = await both(name, properties);
        expect(own).to.have.length.above(1);
        // The name of a model file includes its digest, which servers do not report.
        const unversioned = (text: string) => text.replaceAll(/("FEATURE_MODEL":"[^"@]*)@\w+/g, '$1');
        expect(served).to.deep.equal(JSON.parse(unversioned(JSON.stringify(own))));
      });

    it('gets as many frames at a time as it accepts, in as many parallel requests as allowed', async () => {
      const model = (dims: readonly (number | string)[]) =>
        yoloModel({ dims, boxes: [[16, 16, 8, 8, 0.1, 0]], light: 0.8 });
      await models.write('any', model(['n', 3, 32, 32]), { ...PETS, maxBatch: 3 });
      await models.write('one', model([1, 3, 32, 32]), PETS);
      for (const [name, batch, counts] of [
        ['any', '2', [2, 2, 2, 2, 2]],
        ['any', '8', [3, 3, 3, 1]],
        ['one', '8', Array.from({ length: 10 }, () => 1)],
      ] as const) {
        models.server.asked.length = 0;
        models.server.mostAtATime = 0;
        const properties = { DETECTION_FRAME_BATCH_SIZE: batch, TRACKING_MAX_FRAME_GAP: '0' };
        const found = await all(models.detector.video!(video(), await models.job(name, properties)));
        expect(spans(found), name).to.deep.equal([
          [0, 3],
          [5, 9],
        ]);
        const given = models.server.inferred.map(({ body }) => shapeIn(body)[0]);
        expect(given.slice(-counts.length), name).to.deep.equal(counts);
        expect(models.server.mostAtATime).to.be.within(1, 4);
      }
    });

    it('is asked TRITON_MAX_INFER_CONCURRENCY times at a time', async function () {
      // With too few requests, the server would wait for more.
      this.timeout(60_000);
      const warnings: string[] = [];
      const warn = ({ name }: Error) => void warnings.push(name);
      process.on('warning', warn);
      await models.write('slow', yoloModel(), PETS);
      for (const most of [1, 3, 12]) {
        const properties = { TRITON_MAX_INFER_CONCURRENCY: String(most) };
        await models.inImage('slow', properties);
        let [open, seenOpen] = [0, 0];
        const waiting: (() => void)[] = [];
        // Responds only when the maximum number of requests is pending.
        models.server.instead = ({ path: asked }, response) => {
          if (!asked.endsWith('/infer')) return undefined;
          seenOpen = Math.max(seenOpen, ++open);
          response.once('close', () => open--);
          waiting.push(() => response.writeHead(400).end('{"error":"enough"}'));
          if (waiting.length === most) for (const answer of waiting) answer();
          return true;
        };
        const job = await models.job('slow', properties);
        const outcome = await all(models.detector.video!(video(20), job)).catch(
          (error: Error) => error.message,
        );
        expect(outcome).to.include('enough');
        expect(seenOpen).to.equal(most);
        models.server.instead = () => undefined;
      }
      process.off('warning', warn);
      expect(warnings).to.deep.equal([]);
    });

    it('is asked about regions of any size that an earlier task found', async () => {
      await models.write('regions', yoloModel(), PETS);
      const sizes = [
        [64, 32],
        [32, 64],
        [50, 50],
      ] as const;
      const source = {
        ...paintVideo({ frames: 3 }, () => [1, 1, 1]),
        async *frames() {
          for (const [index, [width, height]] of sizes.entries())
            yield { ...picture(width, height, () => [255, 255, 255]), index };
        },
      };
      const found = await all(models.detector.video!(source, await models.job('regions')));
      const own = await all(models.local.video!(source, await jobOf('onnx', { MODEL_NAME: 'regions' })));
      expect(found).to.deep.equal(own);
    });

    it('reports the classes that are allowed', async () => {
      await models.write('allowed', yoloModel(), PETS);
      expect(
        summaryOf(await models.inImage('allowed', { CLASS_ALLOW_LIST: 'Dog' })).map(([name]) => name),
      ).to.deep.equal(['dog']);
      expect(await models.complaint('allowed', { CLASS_ALLOW_LIST: 'unicorn' })).to.match(
        /^INVALID_PROPERTY: .*no class of the model allowed/,
      );
    });

    describe('has the names of its classes', () => {
      const detectNamed = async (name: string, properties: Properties = {}) =>
        summaryOf(await models.inImage(name, { ...LOW, ...properties })).map(([one]) => one);
      const plain = yoloModel({ metadata: {} });

      it('of the configuration of the model, as all that a sidecar file says', async () => {
        await models.write('configured', plain, {
          parameters: { CLASS_NAMES: "{0: 'Katze', 1: 'Hund'}", INPUT_RESIZE: 'STRETCH', backend: 'x' },
        });
        expect(summaryOf(await models.inImage('configured'))).to.deep.equal([
          ['Katze', 0.9, 24, 12, 16, 8],
          ['Hund', 0.8, 48, 10, 12, 12],
        ]);
        await writeFile(path.join(models.path, 'pets.txt'), 'chat\nchien\n');
        expect(await detectNamed('configured', { CLASS_NAMES_FILE: 'pets.txt' })).to.deep.equal([
          'chat',
          'chien',
        ]);
      });

      it('of what OpenVINO writes into models', async () => {
        const more = { rt_info: { model_info: { labels: 'house_cat dog', iou_threshold: '0.7' } } };
        await models.write('openvino', plain, { more });
        expect(await detectNamed('openvino')).to.deep.equal(['house cat', 'dog']);
      });

      it('of the labels that Triton has for an output', async () => {
        await models.write('labels', colourModel(colours, 'output0'), {
          labels: ['red', 'light: green', 'blue'],
        });
        const green = picture(8, 8, () => [0, 255, 0]);
        expect(summaryOf(await models.inImage('labels', LOW, green)).map(([one]) => one)).to.deep.equal([
          'light: green',
        ]);
      });

      it('of nobody: they have numbers', async () => {
        await models.write('nameless', colourModel(colours, 'logits'));
        const blue = picture(8, 8, () => [0, 0, 255]);
        expect(summaryOf(await models.inImage('nameless', LOW, blue)).map(([one]) => one)).to.deep.equal([
          'class 2',
        ]);
      });
    });

    it('is found by its version, its server by host and port or by all that stands before /v2', async () => {
      await models.write('by name', yoloModel(), PETS);
      const { address } = models.server;
      for (const [properties, infer] of [
        [{ TRITON_MODEL_NAME: 'by name' }, '/v2/models/by%20name/infer'],
        [{ TRITON_MODEL_VERSION: '1' }, '/v2/models/by%20name/versions/1/infer'],
        [{ TRITON_SERVER: `http://${address}/v2/` }, '/v2/models/by%20name/infer'],
      ] as const) {
        const name = 'TRITON_MODEL_NAME' in properties ? 'other' : 'by name';
        expect(await models.inImage(name, properties)).to.have.length(2);
        expect(models.server.inferred.at(-1)!.path).to.equal(infer);
      }
      models.server.instead = ({ path: asked }, response) =>
        asked.startsWith('/team/v2/') ? undefined : response.writeHead(404).end();
      expect(await models.complaint('by name')).to.match(
        /status 404.* must name a server that speaks KServe v2, .* all that stands before \/v2/,
      );
      models.server.instead = () => undefined;
    });

    it('is told the key, which no error tells', async () => {
      await models.write('guarded', yoloModel(), PETS);
      const key = 'sk-very-secret';
      await models.inImage('guarded', { API_TOKEN: key });
      for (const { headers } of models.server.asked.filter(({ path: asked }) => asked.includes('guarded')))
        expect(headers.authorization).to.equal(`Bearer ${key}`);
      for (const status of [401, 400, 500]) {
        models.server.instead = ({ path: asked }, response) =>
          asked.endsWith('/infer')
            ? response.writeHead(status).end(`{"error":"no entry for ${key}"}`)
            : undefined;
        const said = await models.complaint('guarded', { API_TOKEN: key });
        expect(said)
          .to.match(status === 401 ? /does not accept API_TOKEN/ : /no entry for \*\*\*/)
          .and.to.not.include(key);
      }
      models.server.instead = () => undefined;
    });

    it('has its algorithm in two pipelines', async () => {
      const { algorithm, pipelines } = await descriptorOf('kserve');
      expect([algorithm.name, algorithm.trackType]).to.deep.equal(['KSERVE', 'CLASS']);
      expect(pipelines.map(({ name }) => name)).to.deep.equal([
        'KSERVE DETECTION PIPELINE',
        'KSERVE CLASSIFICATION PIPELINE',
      ]);
    });
  });
}

/** The shape of the first input of a request. */
function shapeIn(body: Buffer): readonly number[] {
  const [, shape = ''] = /"shape":\[([\d,]+)\]/.exec(body.toString('latin1', 0, 1_000)) ?? [];
  return shape.split(',').map(Number);
}
