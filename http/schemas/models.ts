import { z } from 'zod';

/** Model files of the operator (not in the specification). */
export const modelList = z
  .object({
    models: z
      .array(
        z.object({
          name: z.string().describe('Path below its root; of an ONNX file, the value of MODEL_NAME'),
          kind: z.enum(['ONNX', 'WHISPER']).describe('ONNX: *.onnx; WHISPER: ggml-*.bin'),
          bytes: z.int().min(0).describe('Size of the file: bytes'),
          modified: z.iso.datetime().describe('When the file was changed last'),
        }),
      )
      .describe('The files, by name'),
    more: z.boolean().describe('There are more than are listed'),
  })
  .meta({ id: 'ModelList' });
