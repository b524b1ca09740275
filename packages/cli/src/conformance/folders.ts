/**
 * Folders in the format of ONNX's own tests (https://github.com/onnx/onnx/blob/main/docs/OnnxBackendTest.md):
 * `model.onnx` and `test_data_set_N` folders with `input_K.pb` and `output_K.pb`, each one TensorProto.
 */
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';

export interface TestFolder {
  /** Path under the folder searched, with `/` between its parts. */
  readonly name: string;
  readonly model: string;
  readonly dataSets: readonly DataSet[];
}

export interface DataSet {
  readonly name: string;
  /** Files in the order of their numbers; a hole is undefined. */
  readonly inputs: readonly (string | undefined)[];
  readonly outputs: readonly (string | undefined)[];
}

/** The test folders at or under `root`, by name. @throws the file system's error where `root` is no folder. */
export async function findTestFolders(root: string): Promise<readonly TestFolder[]> {
  const found: TestFolder[] = [];
  await search(resolve(root), resolve(root), found);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function search(root: string, folder: string, found: TestFolder[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some((entry) => entry.name === 'model.onnx' && !entry.isDirectory())) {
    const sets = entries.filter((entry) => entry.isDirectory() && /^test_data_set_\d+$/.test(entry.name));
    const names = sets.map((entry) => entry.name).sort((a, b) => numberIn(a) - numberIn(b));
    found.push({
      name: relative(root, folder).split(sep).join('/') || basename(root),
      model: join(folder, 'model.onnx'),
      dataSets: await Promise.all(names.map((name) => readDataSet(join(folder, name)))),
    });
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) await search(root, join(folder, entry.name), found);
  }
}

async function readDataSet(folder: string): Promise<DataSet> {
  const files = await readdir(folder);
  const numbered = (kind: string): readonly (string | undefined)[] => {
    const list: (string | undefined)[] = [];
    for (const file of files) {
      const number = new RegExp(`^${kind}_(\\d+)\\.pb$`).exec(file)?.[1];
      if (number !== undefined) list[Number(number)] = join(folder, file);
    }
    return Array.from(list);
  };
  return { name: basename(folder), inputs: numbered('input'), outputs: numbered('output') };
}

function numberIn(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}
