import { faces } from './faces-suite.ts';

faces({ isLong: false });
