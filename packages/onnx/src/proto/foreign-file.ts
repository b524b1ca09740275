/** Files that people load by mistake, told by their first bytes so that the error names what they are. */
import { InvalidModelError } from '@onegpu/core';

interface ForeignKind {
  /** Matches the file's first 64 bytes read as Latin-1. */
  readonly head: RegExp;
  readonly kind: string;
  readonly remedy: string;
}

const KINDS: readonly ForeignKind[] = [
  {
    head: /^version https:\/\/git-lfs/,
    kind: 'a Git LFS pointer, not the file it stands for',
    remedy: 'Fetch the file itself with `git lfs pull`.',
  },
  {
    head: /^(\u00ef\u00bb\u00bf)?\s*<(!doctype|html|head|body|\?xml|!--)/i,
    kind: 'an HTML or XML page',
    remedy: 'The address probably led to a web page: use the address of the file itself.',
  },
  {
    head: /^PK\W\W/,
    kind: 'a ZIP archive (a PyTorch checkpoint is one)',
    remedy: 'Unpack it, or export the checkpoint to ONNX.',
  },
  { head: /^\W\u008b\W/, kind: 'a gzip file', remedy: 'Unpack it first.' },
  { head: /^.{4}TFL3/s, kind: 'a TensorFlow Lite model', remedy: 'Convert it to ONNX first.' },
  {
    head: /^.{4}ORTM/s,
    kind: "onnxruntime's own ORT format",
    remedy: 'Use the .onnx file it was made from.',
  },
  { head: /^\u0089HDF/, kind: 'an HDF5 file (a Keras model is one)', remedy: 'Convert it to ONNX first.' },
  { head: /^\s*[{[]\s*["{[]/, kind: 'a JSON file', remedy: 'Use the binary .onnx file.' },
  { head: /^ir_version:/, kind: 'a model in text form', remedy: 'Use the binary .onnx file.' },
];

/** @throws InvalidModelError for an empty file and for the kinds above. */
export function refuseForeignFile(bytes: Uint8Array): void {
  if (bytes.byteLength === 0) {
    throw new InvalidModelError('the file is empty', { subject: 'model', got: '0 bytes' });
  }
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  const found = KINDS.find((entry) => entry.head.test(head));
  if (found === undefined) return;
  throw new InvalidModelError('this is not an ONNX model', {
    subject: 'model',
    got: found.kind,
    expected: 'a serialised ModelProto (.onnx)',
    remedy: found.remedy,
  });
}
