/** The page built from source and served with its models, for tests and screenshots. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type InlineConfig, preview } from 'vite';
import config from '../vite.config.ts';

export interface PageServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Without the models in the build: the server has them. */
export async function servePage(): Promise<PageServer> {
  const outDir = await mkdtemp(join(tmpdir(), 'onegpu-demo-'));
  const shared: InlineConfig = { ...config, configFile: false, logLevel: 'error' };
  await build({ ...shared, plugins: [], build: { ...config.build, outDir, reportCompressedSize: false } });
  const server = await preview({ ...shared, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const address = server.resolvedUrls?.local[0];
  if (address === undefined) throw new Error('the preview server has no address');
  return {
    address,
    async close() {
      await server.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
