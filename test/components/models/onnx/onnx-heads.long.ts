/** Every layout of outputs also without any names. */
import { onnxHeads } from './onnx-heads-suite.ts';

onnxHeads({ isLong: true });
