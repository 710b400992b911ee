/** The supported output layouts of user-supplied models, each with a model that the test writes. */
import { expect } from 'chai';
import { pictureModel, type PictureOutput, type Value } from '../../../support/media/onnx-model.ts';
import { ModelFolder, summaryOf } from './own-model.ts';

const NAMES = { names: '["cat", "dog"]', task: 'detect' };
/** Positions in a letterbox of 64 x 64 and in a stretched picture, for a picture of 64 x 32. */
const CAT = ['cat', 0.9, 20, 10, 16, 8];
const DOG = ['dog', 0.7, 40, 6, 8, 20];

interface Layout {
  readonly what: string;
  readonly type: string;
  readonly outputs: readonly PictureOutput[];
  readonly others?: readonly Value[];
  readonly properties?: Readonly<Record<string, string>>;
  /** Whether it is a variant of another layout. */
  readonly isVariant?: boolean;
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const logit = (share: number) => Math.log(share / (1 - share));
/** A second box for the same object as the box of 0.9, slightly shifted. */
const TWICE = [
  [28, 30, 16, 8, 0.9, 0.1],
  [29, 30, 16, 8, 0.8, 0.1],
  [44, 32, 8, 20, 0, 0.7],
];

/** The cells of 64 x 64 pixels: 64 of 8 pixels, 16 of 16 pixels, 4 of 32 pixels. */
const CELLS = 84;
/** Cell 27 of 8 pixels is the fourth in the fourth row. Its corner is at (24, 24). */
function yoloxRows(inPixels: boolean): number[] {
  const rows = Array.from({ length: CELLS }, () => zeros(7));
  rows[27] = inPixels ? [28, 30, 16, 8, 1, 0.9, 0.1] : [0.5, 0.75, Math.log(2), Math.log(1), 1, 0.9, 0.1];
  // The third cell in the third row of 16 pixels, at (32, 32).
  rows[64 + 10] = inPixels
    ? [44, 32, 8, 20, 0.875, 0, 0.8]
    : [0.75, 0, Math.log(0.5), Math.log(1.25), 0.875, 0, 0.8];
  return rows.flat();
}

/**
 * NanoDet-Plus has a row for each cell, including the cell of 64 pixels. Points are at the corners of cells.
 */
function nanodetRows(): number[] {
  const rows = Array.from({ length: CELLS + 1 }, () => [...zeros(2), ...zeros(32)]);
  const sure = (cells: number) => Array.from({ length: 8 }, (_, i) => (i === cells ? 90 : 0));
  // The cell of 8 pixels at (24, 24) and the cell of 16 pixels at (32, 32). Distances are in cells.
  rows[27] = [0.9, 0, ...sure(1), ...sure(1), ...sure(1), ...sure(1)];
  rows[74] = [0, 0.7, ...sure(0), ...sure(1), ...sure(1), ...sure(1)];
  return rows.flat();
}

const QUERIES = [
  [28 / 64, 14 / 32, 16 / 64, 8 / 32],
  [44 / 64, 16 / 32, 8 / 64, 20 / 32],
  [0.5, 0.5, 0.5, 0.5],
];
const BOXES: PictureOutput = { name: 'pred_boxes', dims: [3, 4], values: QUERIES.flat() };
const SIZES: Value = { name: 'orig_target_sizes', dims: [1, 2], type: 'int64' };

const LAYOUTS: readonly Layout[] = [
  {
    what: 'columns of boxes with scores (YOLO 8 and later)',
    type: 'YOLO',
    outputs: [
      {
        name: 'output0',
        dims: [6, CELLS],
        values: [0, 1, 2, 3, 4, 5].flatMap((row) => [...TWICE.map((box) => box[row]!), ...zeros(CELLS - 3)]),
      },
    ],
  },
  {
    what: 'rows with objectness (YOLO 5)',
    type: 'YOLO_OBJECTNESS',
    outputs: [
      {
        name: 'output',
        dims: [CELLS * 3, 7],
        values: [
          28,
          30,
          16,
          8,
          0.9,
          1,
          0,
          44,
          32,
          8,
          20,
          0.875,
          0,
          0.8,
          28,
          30,
          16,
          8,
          0.7,
          1,
          0,
          ...zeros((CELLS * 3 - 3) * 7),
        ],
      },
    ],
  },
  {
    what: 'rows of cells (YOLOX) as it is exported by default',
    type: 'YOLOX',
    outputs: [{ name: 'output', dims: [CELLS, 7], values: yoloxRows(false) }],
    // Its letterbox has the picture at the top.
    properties: { INPUT_RESIZE: 'LETTERBOX' },
  },
  {
    what: 'rows of cells (YOLOX) in pixels',
    isVariant: true,
    type: 'YOLOX',
    outputs: [{ name: 'output', dims: [CELLS, 7], values: yoloxRows(true) }],
  },
  {
    what: 'boxes that the network has chosen (YOLO 10, 26)',
    type: 'END_TO_END',
    outputs: [
      {
        name: 'output0',
        dims: [3, 6],
        values: [20, 26, 36, 34, 0.9, 0, 40, 22, 48, 42, 0.7, 1, 0, 0, 9, 9, 0.1, 1],
      },
    ],
  },
  {
    what: 'logits and boxes (RF-DETR, D-FINE)',
    type: 'DETR',
    outputs: [{ name: 'logits', dims: [3, 2], values: [logit(0.9), -9, -9, logit(0.7), -9, -9] }, BOXES],
  },
  {
    what: 'boxes before logits, under the names of RF-DETR',
    isVariant: true,
    type: 'DETR',
    outputs: [
      { ...BOXES, name: 'dets' },
      { name: 'labels', dims: [3, 2], values: [logit(0.9), -9, -9, logit(0.7), -9, -9] },
    ],
  },
  {
    what: 'labels, boxes and scores (D-FINE, RT-DETR)',
    type: 'LABELS_BOXES_SCORES',
    others: [SIZES],
    outputs: [
      { name: 'labels', dims: [3], values: [0, 1, 1], type: 'int64' },
      { name: 'boxes', dims: [3, 4], values: [20, 20, 36, 36, 40, 12, 48, 52, 0, 0, 9, 9] },
      { name: 'scores', dims: [3], values: [0.9, 0.7, 0.1] },
    ],
  },
];

/** `isLong`: includes larger variations and other values of the same cases. */
export function onnxHeads({ isLong }: { readonly isLong: boolean }): void {
  describe('A model’s outputs', () => {
    let models: ModelFolder;
    const input = { name: 'images', dims: [1, 3, 64, 64] };
    before(async () => {
      models = await ModelFolder.open({ loaded: 1 });
    });
    after(() => models.close());

    for (const { what, type, outputs, others = [], properties = {} } of LAYOUTS.filter(
      ({ isVariant = false }) => isLong || !isVariant,
    )) {
      it(`are read by their shapes: ${what}`, async () => {
        await models.write('layout.onnx', pictureModel({ input, others, outputs, metadata: NAMES }));
        // YOLOX places the picture at the top of the letterbox, 16 pixels above the others.
        const down = type === 'YOLOX' ? 16 : 0;
        const lower = ([name, score, x, y, ...size]: readonly unknown[]) => [
          name,
          score,
          x,
          Number(y) + down,
          ...size,
        ];
        const wanted = [CAT, DOG].map(lower);
        expect(summaryOf(await models.inImage('layout', undefined, properties))).to.deep.equal(
          wanted.filter(([, , , y]) => Number(y) < 32).map((one) => clipBox(one)),
        );
        if (isLong || type === 'YOLO_OBJECTNESS')
          expect(
            summaryOf(await models.inImage('layout', undefined, { ...properties, MODEL_TYPE: type })),
          ).to.have.length(2);
      });

      if (isLong)
        it(`are read without any names: ${what}`, async () => {
          await models.write('layout.onnx', pictureModel({ input, others, outputs }));
          const names = summaryOf(await models.inImage('layout', undefined, properties)).map(
            ([name]) => name,
          );
          expect(names).to.deep.equal(['class 0', 'class 1']);
        });
    }

    it('are distributions of distances from corners of cells (NanoDet-Plus)', async () => {
      const outputs = [{ name: 'output', dims: [CELLS + 1, 34], values: nanodetRows() }];
      await models.write('nanodet.onnx', pictureModel({ input, outputs, metadata: NAMES }));
      // It gets stretched pictures, so heights are halved.
      expect(summaryOf(await models.inImage('nanodet'))).to.deep.equal([
        ['cat', 0.9, 16, 8, 16, 8],
        ['dog', 0.7, 32, 8, 16, 16],
      ]);
    });

    if (isLong)
      it('may have masks after the boxes, of which nothing is read', async () => {
        const masks = { name: 'protos', dims: [4, 16, 16], values: zeros(1_024) };
        const rows = [20, 26, 36, 34, 0.9, 0, ...zeros(4), ...zeros(11 * 10)];
        const chosen = [{ name: 'output0', dims: [12, 10], values: rows }, masks];
        const metadata = { ...NAMES, task: 'segment' };
        await models.write('chosen.onnx', pictureModel({ input, outputs: chosen, metadata }));
        expect(summaryOf(await models.inImage('chosen'))).to.deep.equal([CAT]);
        const columns = [0, 1, 2, 3, 4, 5].flatMap((row) => [TWICE[0]![row]!, ...zeros(15)]);
        const plain = [{ name: 'output0', dims: [10, 16], values: [...columns, ...zeros(64)] }, masks];
        await models.write('plain.onnx', pictureModel({ input, outputs: plain, metadata }));
        expect(summaryOf(await models.inImage('plain'))).to.deep.equal([CAT]);
      });

    it('may have inner values of the network beside them, which are not taken for boxes', async () => {
      const inner = { name: 'last_hidden_state', dims: [5, 12], values: zeros(60) };
      const whole = { name: 'image_embeds', dims: [3], values: [1, 2, 3] };
      await models.write('clip.onnx', pictureModel({ input, outputs: [inner, whole] }));
      const [vector] = await models.inImage('clip');
      expect(vector!.properties!['FEATURE']).to.equal(
        Buffer.from(Float32Array.of(1, 2, 3).buffer).toString('base64'),
      );
      const states = { name: 'a_hidden_state', dims: [3, 7], values: zeros(21) };
      const logits = { name: 'logits', dims: [3, 2], values: [logit(0.9), -9, -9, logit(0.7), -9, -9] };
      await models.write(
        'states.onnx',
        pictureModel({ input, outputs: [states, BOXES, logits], metadata: NAMES }),
      );
      expect(summaryOf(await models.inImage('states'))).to.deep.equal([CAT, DOG]);
      // Without names, and with a number of columns that no grid has, the layout is ambiguous.
      await models.write('inner.onnx', pictureModel({ input, outputs: [inner] }));
      expect((await models.refusal('inner')).message).to.match(
        /fits no rule: it answers last_hidden_state \[1, 5, 12\]/,
      );
    });

    it('are shares of one whole where the files of Hugging Face tell of a DETR of 2020', async () => {
      const logits = { name: 'logits', dims: [3, 3], values: [9, 0, 0, 0, 9, 0, 0, 0, 9] };
      await models.write('detr/model.onnx', pictureModel({ input, outputs: [logits, BOXES] }));
      await models.write('detr/config.json', { model_type: 'detr', id2label: { 0: 'cat', 1: 'dog' } });
      expect(summaryOf(await models.inImage('detr')).map(([name, score]) => [name, score])).to.deep.equal([
        ['cat', 1],
        ['dog', 1],
      ]);
    });

    it('have the names of COCO where they tell 80 classes apart, or 91 by its own numbers', async () => {
      const person = {
        name: 'logits',
        dims: [3, 91],
        values: [...zeros(91).map((_, i) => (i === 18 ? 5 : -9)), ...zeros(182).map(() => -9)],
      };
      await models.write('coco.onnx', pictureModel({ input, outputs: [person, BOXES] }));
      expect(summaryOf(await models.inImage('coco')).map(([name]) => name)).to.deep.equal(['dog']);
    });
  });
}

/** The part of a box inside the picture of 64 x 32. */
function clipBox([name, score, x, y, width, height]: readonly unknown[]): unknown[] {
  return [name, score, x, y, width, Math.min(Number(height), 32 - Number(y))];
}
