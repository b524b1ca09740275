/**
 * The page's script, bundled when this module is first loaded: what a checkout has in place of the text that
 * `prebuild.mjs` writes.
 */
import { bundlePage } from '../prebuild.mjs';

export const PAGE_SCRIPT: string = bundlePage();
