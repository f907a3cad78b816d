import FormData from 'form-data';

export const contentType = 'application/octet-stream';

export function formOf(boundary: string): FormData {
  const form = new FormData();
  form.setBoundary(boundary);
  return form;
}

/** The bytes of a form without its last line: more may follow. */
export function withoutEnd(form: FormData): Buffer {
  const whole = form.getBuffer();
  return whole.subarray(0, whole.byteLength - Buffer.byteLength(`--${form.getBoundary()}--\r\n`));
}

/** Runs of bytes as one; a single run is not copied. */
export function joined(runs: readonly Uint8Array[]): Buffer {
  const [only] = runs;
  if (runs.length !== 1 || only === undefined) return Buffer.concat(runs);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
