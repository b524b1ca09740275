/** Resize by every algorithm: of integers, of any axes, with positions outside. Takes the place of `resize.ts`. */
import { RESIZE_ALGORITHMS } from '@onegpu/kernels';
import { resizeOperators } from './resize.ts';

export const FULL_RESIZE_OPERATORS = resizeOperators(RESIZE_ALGORITHMS);
