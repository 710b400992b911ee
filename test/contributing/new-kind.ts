import type { Edit } from './steps.ts';

/** A new kind of work PROOF, made by the steps of actors/batch-job/README.md. */
export const NEW_KIND: readonly Edit[] = [
  [
    'actors/batch-job/kinds/proof.ts',
    '',
    `import { MEDIA_QUEUES, type ProofWork } from '../../../protocol/worker-protocol.ts';
import { detectionFile } from '../../../results/layout.ts';
import { foldersOf } from '../state/record.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { newSubJob } from './sub-job.ts';

/** Somebody looks over the document. */
export const PROOF: Kind<ResultOf<'PROOF'>> = {
  survivesCancel: true,
  row(state, index, unit, context) {
    const work: ProofWork = { path: detectionFile(foldersOf(context.record, state)) };
    const row = newSubJob(state, index, unit, context, { id: 'proof', path: 'z/p' });
    return { ...row, kind: 'PROOF', queue: MEDIA_QUEUES.PROOF, work };
  },
  paths: (work, at) => ({ ...work, path: at(work.path) }),
  keepResult: (row) => row,
  unit: pieceOf,
  foldAnswer: (state) => state,
  foldFailure: (state) => state,
};
`,
  ],
  [
    'actors/batch-job/life-cycle/stages.ts',
    "import { PREPARE } from '../kinds/prepare.ts';\n",
    "import { PROOF } from '../kinds/proof.ts';\n",
  ],
  ['actors/batch-job/life-cycle/stages.ts', '  UPLOAD,\n', '  PROOF,\n'],

  [
    'protocol/worker-protocol.ts',
    'export interface WorkTypes {\n',
    '  readonly PROOF: { readonly work: ProofWork; readonly answer: { readonly stored: ProofAnswer } };\n',
  ],
  ['protocol/worker-protocol.ts', "  UPLOAD: 'stored',\n", "  PROOF: 'stored',\n"],
  ['protocol/worker-protocol.ts', "  UPLOAD: 'RESULT_UPLOAD',\n", "  PROOF: 'PROOF_READING',\n"],
  [
    'protocol/worker-protocol.ts',
    'export type Assignment = SubJobAssignment | StreamAssignment | ViewAssignment;\n',
    'export interface ProofWork {\n  readonly path: string;\n}\nexport interface ProofAnswer {\n  readonly uri: string;\n}\n',
  ],

  [
    'components/builtin/media/proof.ts',
    '',
    `import type { ProofAnswer, ProofWork } from '../../../protocol/worker-protocol.ts';

export function* proof({ path }: ProofWork): Generator<string> {
  yield \`\${JSON.stringify({ uri: path } satisfies ProofAnswer)}\\n\`;
}
`,
  ],
  [
    'components/builtin/media/handle.ts',
    "import { prepare } from './prepare.ts';\n",
    "import { proof } from './proof.ts';\n",
  ],
  [
    'components/builtin/media/handle.ts',
    '  switch (assignment.kind) {\n',
    "    case 'PROOF':\n      return Readable.from(proof(assignment.work));\n",
  ],
  [
    'components/builtin/media/handle.ts',
    "import { prepare } from './prepare.ts';\n",
    "import { Readable } from 'node:stream';\n",
  ],
];
