/**
 * Writes a complete model to a file, for tools that want a path:
 * `node --conditions=source --import tsx test-models/src/write-model.ts resnet50 resnet50.onnx`
 */
import { writeFile } from 'node:fs/promises';
import { isTestModelName, modelBytes, modelNames, ocrModelNames } from './models.ts';

const [name = '', path] = process.argv.slice(2);
if (path === undefined || !isTestModelName(name)) {
  console.error('usage: write-model NAME FILE');
  console.error(`names: ${[...modelNames, ...ocrModelNames].join(' ')}`);
  process.exitCode = 2;
} else {
  await writeFile(path, await modelBytes(name));
}
