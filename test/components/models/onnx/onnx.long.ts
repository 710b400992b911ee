/** Models of one’s own: every type of numbers, and how many stay loaded. */
import { onnx } from './onnx-suite.ts';

onnx({ isLong: true });
