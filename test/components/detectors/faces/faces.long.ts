/** Faces in whole clips. */
import { faces } from './faces-suite.ts';

faces({ isLong: true });
