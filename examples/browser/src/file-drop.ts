/** Files chosen by button or key, or dropped anywhere on the page. */
import { InvalidInputError, type OneGpuError } from '@onegpu/core';
import { byId } from './dom.ts';

export interface FileListeners {
  onModel(file: File): void;
  onPicture(file: File): void;
  onOther(error: OneGpuError): void;
}

export function listenToFiles({ onModel, onPicture, onOther }: FileListeners): void {
  choose('open-model', 'model-file', onModel);
  choose('open-image', 'image-file', onPicture);
  const curtain = byId('drop');
  const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  document.addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    curtain.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) curtain.hidden = true;
  });
  document.addEventListener('drop', (event) => {
    curtain.hidden = true;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) {
      if (file.type.startsWith('image/')) onPicture(file);
      else if (file.name.endsWith('.onnx')) onModel(file);
      else onOther(neither(file));
    }
  });
}

function choose(buttonId: string, inputId: string, onFile: (file: File) => void): void {
  const input = byId(inputId, HTMLInputElement);
  byId(buttonId).addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    // The same file chosen again is a change, too.
    input.value = '';
    if (file !== undefined) onFile(file);
  });
}

function neither({ name, type }: File): InvalidInputError {
  return new InvalidInputError('this is neither a model nor a picture', {
    subject: name,
    got: type || 'a file of unknown type',
    expected: 'an .onnx file or a picture',
  });
}
