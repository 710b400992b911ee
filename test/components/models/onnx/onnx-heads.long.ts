/** Every output layout, also without names. */
import { onnxHeads } from './onnx-heads-suite.ts';

onnxHeads({ isLong: true });
