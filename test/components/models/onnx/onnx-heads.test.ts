import { onnxHeads } from './onnx-heads-suite.ts';

onnxHeads({ isLong: false });
