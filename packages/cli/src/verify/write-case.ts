/** Writes a case of one operator into a folder. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VerifyCase } from '@onegpu/onnx/verify';

/** Makes the folder where it is missing; the data set of an earlier case in it goes. */
export async function writeCase(folder: string, { files }: VerifyCase): Promise<void> {
  await rm(join(folder, 'test_data_set_0'), { recursive: true, force: true });
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
