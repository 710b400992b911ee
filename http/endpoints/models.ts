import { json, ok } from '../routing/declaration.ts';
import { endpoint } from '../steps/endpoint.ts';
import { modelList } from '../schemas/models.ts';

/** A model file below MODEL_ROOTS. */
export interface KnownModel {
  readonly name: string;
  readonly kind: 'ONNX' | 'WHISPER';
  readonly bytes: number;
  /** Time of the last change: milliseconds since the epoch. */
  readonly modified: number;
}

export interface ModelDeps {
  /** Lists the models on the server's host, by name. */
  listModels(): Promise<{ readonly models: readonly KnownModel[]; readonly more: boolean }>;
}

const EXAMPLE = {
  name: 'rf-detr-nano.onnx',
  kind: 'ONNX',
  bytes: 112_000_000,
  modified: '2026-03-08T09:30:00.000Z',
};

/** Model files of the operator (not in the specification): the values of the property MODEL_NAME. */
export const modelEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/models',
    id: 'listModels',
    tag: 'Components',
    caller: 'USER',
    jobs: 'NONE',
    summary: 'List the model files',
    description:
      'The files for ONNX and WHISPERSPEECH below the folders of MODEL_ROOTS on the host of the server, at most 1,000; other nodes have their own. The server does not open them: `troupe models check FILE` tests one.',
    answers: { 200: json('The files, by name.', modelList, { models: [EXAMPLE], more: false }) },
    async handle(_, { listModels }: ModelDeps) {
      const { models, more } = await listModels();
      return ok({
        models: models.map((one) => ({ ...one, modified: new Date(one.modified).toISOString() })),
        more,
      });
    },
  }),
];
