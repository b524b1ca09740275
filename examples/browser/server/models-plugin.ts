/**
 * Models and pictures of `@onegpu/test-models` for the page: served by the development and preview servers, written
 * beside a build. Weights are made on the first request, into the checkout's cache, never into the page's folder.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { modelBytes, picturePath } from '@onegpu/test-models';
import type { Connect, Plugin } from 'vite';
import { BUNDLED_MODELS, BUNDLED_PICTURES } from './bundled.ts';

/** A model larger than this is served, but left out of builds. */
const MOST_BUILD_BYTES = 64 * 2 ** 20;

interface ServedFile {
  readonly type: string;
  bytes(): Promise<Uint8Array>;
}

export function modelsPlugin(): Plugin {
  const files = servedFiles();
  const use = ({ middlewares }: { middlewares: Connect.Server }): void => {
    middlewares.use((request, response, next) => {
      const file = files.get(pathOf(request));
      if (file === undefined) next();
      else answer(file, response).catch(next);
    });
  };
  return {
    name: 'onegpu-models',
    configureServer: use,
    configurePreviewServer: use,
    async generateBundle() {
      const left: string[] = [];
      for (const [path, file] of files) {
        if (path === CATALOGUE) continue;
        const source = await file.bytes();
        if (source.byteLength > MOST_BUILD_BYTES) left.push(path);
        else this.emitFile({ type: 'asset', fileName: path.slice(1), source });
      }
      const source = catalogue(left);
      this.emitFile({ type: 'asset', fileName: CATALOGUE.slice(1), source });
      if (left.length > 0) this.info(`too large for a build, only served: ${left.join(', ')}`);
    },
  };
}

const CATALOGUE = '/bundled.json';

function servedFiles(): ReadonlyMap<string, ServedFile> {
  const files = new Map<string, ServedFile>();
  for (const { name, file } of BUNDLED_MODELS) {
    files.set(`/${file}`, { type: 'application/octet-stream', bytes: () => modelBytes(name) });
  }
  for (const { name, file } of BUNDLED_PICTURES) {
    files.set(`/${file}`, { type: 'image/png', bytes: () => readFile(picturePath(name)) });
  }
  files.set(CATALOGUE, {
    type: 'application/json',
    bytes: async () => new TextEncoder().encode(catalogue()),
  });
  return files;
}

/** What the page may choose from, as JSON. */
function catalogue(left: readonly string[] = []): string {
  const models = BUNDLED_MODELS.filter(({ file }) => !left.includes(`/${file}`));
  return JSON.stringify({ models, pictures: BUNDLED_PICTURES });
}

function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? '/', 'http://localhost').pathname;
}

async function answer(file: ServedFile, response: ServerResponse): Promise<void> {
  const bytes = await file.bytes();
  response.setHeader('content-type', file.type);
  response.setHeader('content-length', bytes.byteLength);
  response.end(bytes);
}
