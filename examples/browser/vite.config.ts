/**
 * The page from the packages' TypeScript sources (condition `source`), with the models beside it. `npm run demo` starts
 * Vite in a Node that reads TypeScript, so that this file may import the workspace.
 */
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';
import { modelsPlugin } from './server/models-plugin.ts';

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  // A build may lie in any folder of a site.
  base: './',
  plugins: [modelsPlugin()],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: { target: 'es2023', outDir: 'dist', emptyOutDir: true },
  // Found while starting, not when the page first asks, which would load it twice.
  optimizeDeps: { include: ['@onegpu/report > @observablehq/plot', '@onegpu/vision > d3-polygon'] },
});
