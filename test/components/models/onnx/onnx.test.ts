import { onnx } from './onnx-suite.ts';

onnx({ isLong: false });
