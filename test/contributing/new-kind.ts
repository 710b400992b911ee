import type { Edit } from './steps.ts';

/** A kind of work PROOF, as the steps of CONTRIBUTING.md make one. */
export const NEW_KIND: readonly Edit[] = [
  [
    'actors/batch-job/kinds/proof.ts',
    '',
    `import { MEDIA_QUEUES, type ProofWork } from '../../../protocol/worker-protocol.ts';
import { detectionFile } from '../../../results/layout.ts';
import { foldersOf } from '../record.ts';
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
  kept: (row) => row,
  unit: pieceOf,
  taken: (state) => state,
  failed: (state) => state,
};
`,
  ],
  [
    'actors/batch-job/kinds/kinds.ts',
    "import { PREPARE } from './prepare.ts';\n",
    "import { PROOF } from './proof.ts';\n",
  ],
  ['actors/batch-job/kinds/kinds.ts', '  UPLOAD,\n', '  PROOF,\n'],

  ['protocol/worker-protocol.ts', "  'UPLOAD',\n", "  'PROOF',\n"],
  ['protocol/worker-protocol.ts', "  UPLOAD: 'RESULT_UPLOAD',\n", "  PROOF: 'PROOF_READING',\n"],
  [
    'protocol/worker-protocol.ts',
    "  | AssignmentOf<'UPLOAD', UploadWork>\n",
    "  | AssignmentOf<'PROOF', ProofWork>\n",
  ],
  [
    'protocol/worker-protocol.ts',
    'export type Assignment = SubJobAssignment | StreamAssignment;\n',
    'export interface ProofWork {\n  readonly path: string;\n}\nexport interface ProofAnswer {\n  readonly path: string;\n}\n',
  ],
  [
    'results/check.ts',
    "  readonly UPLOAD: { readonly ok: true; readonly kind: 'UPLOAD'; readonly upload: UploadAnswer };\n",
    "  readonly PROOF: { readonly ok: true; readonly kind: 'PROOF'; readonly proof: unknown };\n",
  ],
  [
    'results/check-file.ts',
    '=> Promise<CheckedResult>>> = {\n',
    `  async PROOF(answer) {
    const line = await lastLine(answer, wrongStored);
    return 'reason' in line ? line : { ok: true, kind: 'PROOF', proof: line.value };
  },
`,
  ],

  [
    'actors/worker-gateway/files.ts',
    'at: PathOf) => Work } = {\n',
    '  PROOF: (work, at) => ({ ...work, path: at(work.path) }),\n',
  ],
  ['actors/worker-gateway/files.ts', "    case 'UPLOAD':\n", "    case 'PROOF':\n"],
  ['actors/worker-gateway/assignments.ts', "    case 'UPLOAD':\n", "    case 'PROOF':\n"],

  [
    'components/media/proof.ts',
    '',
    `import type { ProofAnswer, ProofWork } from '../../protocol/worker-protocol.ts';

export function* proof({ path }: ProofWork): Generator<string> {
  yield \`\${JSON.stringify({ path } satisfies ProofAnswer)}\\n\`;
}
`,
  ],
  [
    'components/media/handle.ts',
    "import { prepare } from './prepare.ts';\n",
    "import { proof } from './proof.ts';\n",
  ],
  [
    'components/media/handle.ts',
    '  switch (assignment.kind) {\n',
    "    case 'PROOF':\n      return Readable.from(proof(assignment.work));\n",
  ],
  [
    'components/media/handle.ts',
    "import { prepare } from './prepare.ts';\n",
    "import { Readable } from 'node:stream';\n",
  ],
];
