/** User-supplied models with every number type, and the limit of loaded models. */
import { onnx } from './onnx-suite.ts';

onnx({ isLong: true });
