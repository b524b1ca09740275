/** Puts everything in place that the entry for browsers leaves out, when it is imported. */
import { EVERYTHING } from './everything.ts';
import { extend } from './extension.ts';

extend(EVERYTHING);
