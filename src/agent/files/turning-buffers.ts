/**
 * Buffers that take turns: one is handed out for content to come, and the former content's buffer comes back when that is held.
 * A large file that changes often then costs two buffers, where new ones would gather as garbage of tens of MiB before V8
 * collects them.
 */
export interface TurningBuffers {
  /** `size` bytes of unknown content. */
  take(size: number): Buffer;
  /** To be called when nobody will read the buffer again. One that was not taken here is left alone. */
  give(buffer: Buffer): void;
}

const maxSpares = 2;
/** Files grow by little: the next content still fits. */
const slack = 1.1;

export function createTurningBuffers(): TurningBuffers {
  const mine = new WeakSet<ArrayBufferLike>();
  const spares: ArrayBufferLike[] = [];
  return {
    take: (size) => {
      const at = spares.findIndex((spare) => spare.byteLength >= size && spare.byteLength <= size * 2);
      const [spare = new ArrayBuffer(Math.ceil(size * slack))] = at < 0 ? [] : spares.splice(at, 1);
      mine.add(spare);
      return Buffer.from(spare, 0, size);
    },
    give: ({ buffer }) => {
      if (!mine.has(buffer) || spares.includes(buffer)) return;
      spares.push(buffer);
      if (spares.length > maxSpares) spares.shift();
    },
  };
}
